#!/usr/bin/env node
import '../dist/aliquot.js';
