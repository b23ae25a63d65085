#!/usr/bin/env bash
# Backups of PostgreSQL, and the way back. npm run drill:restore goes through wal, base and restore for real.
#   deploy/backup.sh settings               what postgresql.conf needs for it
#   deploy/backup.sh wal FOLDER             keeps receiving the log; run it as a service, on another machine
#   deploy/backup.sh base FOLDER            a copy of the whole cluster, verified; daily
#   deploy/backup.sh dump FOLDER            the database alone as pg_dump writes it; to look into, or for another version
#   deploy/backup.sh prune FOLDER           takes away what is older than 30 days: what a person deletes must leave here too
#   deploy/backup.sh restore BASE WAL DATA  makes a cluster in the empty folder DATA, up to the last byte of WAL
# It reaches PostgreSQL by libpq's variables (PGHOST, PGPORT, PGUSER, PGPASSFILE). Everything it writes holds people's
# words: keep it on an encrypted volume, and the master key elsewhere.
set -euo pipefail
umask 077
PATH=$PATH:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
slot=unsaid_wal
days=30

case "${1:-}" in
  settings)
    cat <<'CONF'
wal_level = replica
max_wal_senders = 5
max_replication_slots = 5
# With this a commit waits until the receiver has it on disk: nothing that was acknowledged is lost with the machine.
# Without it (empty) the last moments may be; with it, writes stand still while no receiver is there.
synchronous_standby_names = 'unsaid_wal'
# A receiver that stays away must not fill the disk. Past this it is cut off, and needs a new base.
max_slot_wal_keep_size = 20GB
CONF
    ;;
  wal)
    mkdir -p "${2:?folder}"
    pg_receivewal --directory "$2" --slot $slot --create-slot --if-not-exists
    exec pg_receivewal --directory "$2" --slot $slot --synchronous --dbname "application_name=$slot"
    ;;
  base)
    target=${2:?folder}/base-$(date -u +%Y%m%dT%H%M%SZ)
    # The log comes by the receiver, so it is not copied a second time, nor need PostgreSQL remind us of it.
    PGOPTIONS='-c client_min_messages=warning' pg_basebackup --pgdata "$target" --checkpoint fast --wal-method none --manifest-checksums SHA256 --no-password
    # Without the log, which is elsewhere: every file is there, and is what it was.
    pg_verifybackup --no-parse-wal --quiet "$target"
    echo "$target"
    ;;
  dump)
    mkdir -p "${2:?folder}"
    target=$2/dump-$(date -u +%Y%m%dT%H%M%SZ).pgdump
    pg_dump --format custom --dbname "${PGDATABASE:-unsaid}" --file "$target"
    # Readable to the end, or it is no backup.
    pg_restore --list "$target" >/dev/null
    echo "$target"
    ;;
  prune)
    find "${2:?folder}" -mindepth 1 -maxdepth 1 \( -name 'base-*' -o -name 'dump-*' -o -name '[0-9A-F]*' \) -mtime +$days -print -exec rm -rf {} +
    ;;
  restore)
    base=${2:?base} wal=$(cd "${3:?wal}" && pwd) data=${4:?data}
    mkdir -p "$data"
    [ -z "$(ls -A "$data")" ] || { echo "backup: $data is not empty" >&2; exit 1; }
    cp -a "$base/." "$data/"
    chmod 700 "$data"
    cat >>"$data/postgresql.auto.conf" <<CONF
restore_command = 'cp "$wal/%f" "%p" 2>/dev/null || cp "$wal/%f.partial" "%p"'
# Nobody receives yet, and a commit would wait for ever.
synchronous_standby_names = ''
CONF
    touch "$data/recovery.signal"
    echo "start PostgreSQL on $data, then: delete from identity.sessions"
    ;;
  *)
    sed -n '2,10p' "$0" | cut -c3- >&2
    exit 64
    ;;
esac
