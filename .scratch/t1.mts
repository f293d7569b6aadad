import pg from 'pg';
import { migrate } from '/work/main/src/platform/db/migrate.ts';
import { openLog } from '/work/main/src/platform/log.ts';
const admin = new pg.Client('postgres://root@127.0.0.1:5432/postgres'); await admin.connect();
await admin.query('drop database if exists lead1'); await admin.query('create database lead1');
const pool = new pg.Pool({ connectionString: 'postgres://root@127.0.0.1:5432/lead1' });
console.log(await migrate(pool, new URL('file:///work/main/migrations/'), openLog('info')));
await pool.end(); await admin.end();
