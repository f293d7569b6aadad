#!/bin/sh
# Makes the secrets of compose.yaml, once: what is there stays. KEEP A COPY of encryption_key outside this machine and
# outside the backups of the database: without it, the data are lost.
set -eu
folder="$(dirname "$0")/secrets"
umask 077
mkdir -p "$folder"
# The user of the container must be able to read the files; the folder keeps other users of this machine out.
make() { [ -s "$folder/$1" ] || { printf '%s\n' "$2" >"$folder/$1"; chmod 444 "$folder/$1"; }; }
make postgres_password "$(openssl rand -hex 24)"
make database_url "postgres://aliquot:$(cat "$folder/postgres_password")@postgres:5432/aliquot"
make encryption_key "$(openssl rand -base64 32)"
