#!/usr/bin/env bash
# Backups of PostgreSQL, encrypted where they are made, and the way back. npm run drill:restore goes through all of it.
#   deploy/backup.sh settings                   what postgresql.conf needs for it
#   deploy/backup.sh wal FOLDER                 keeps receiving the log; run it as a service, on another machine
#   deploy/backup.sh base FOLDER                a copy of the whole cluster; daily
#   deploy/backup.sh dump FOLDER                the database alone as pg_dump writes it, without the queue
#   deploy/backup.sh prune FOLDER               takes away what is older than 30 days: what a person deletes must leave here too
#   deploy/backup.sh restore BASE WAL DATA KEY  makes a cluster in the empty folder DATA, up to the last byte of WAL
# It reaches PostgreSQL by libpq's variables (PGHOST, PGPORT, PGUSER, PGPASSFILE), as a login that may replicate.
# BACKUP_RECIPIENT is the public key that all is encrypted to, age1…. Its private half, KEY, is made elsewhere with
# age-keygen and never on this machine: files and log of PostgreSQL tell the order and the times in which rows were
# written, those of named comments too. In the clear is the piece of the log that is being received, 16 MB at most.
set -euo pipefail
umask 077
PATH=$PATH:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
slot=unsaid_wal
days=30

# Under another name until it is whole and on disk.
encrypt_to() {
  age --encrypt --recipient "${BACKUP_RECIPIENT:?the public key, age1…}" --output "$1.new" || { rm -f "$1.new"; return 1; }
  sync "$1.new" && mv "$1.new" "$1" && sync "$(dirname "$1")"
}
encrypt_segments() {
  local segment
  for segment in "$1"/[0-9A-F]*; do
    case "${segment##*/}" in *.* | *'*') continue ;; esac
    gzip --fast --stdout "$segment" | encrypt_to "$segment.gz.age" && rm "$segment"
  done
}

case "${1:-}" in wal | base | dump | restore)
  command -v age >/dev/null || { echo 'backup: needs age (apt-get install age)' >&2; exit 1; } ;;
esac
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
# A piece of the log is encrypted once it is closed: when it is full, or this old.
archive_timeout = 10min
CONF
    ;;
  wal)
    mkdir -p "${2:?folder}"
    : "${BACKUP_RECIPIENT:?the public key, age1…}"
    pg_receivewal --directory "$2" --slot $slot --create-slot --if-not-exists
    # Ends with the receiver, which takes this shell's place below.
    (while sleep 1 && kill -0 $$ 2>/dev/null; do
      encrypt_segments "$2" || echo 'backup: pieces of the log lie in the clear' >&2
    done) &
    exec pg_receivewal --directory "$2" --slot $slot --synchronous --dbname "application_name=$slot"
    ;;
  base)
    mkdir -p "${2:?folder}"
    target=$2/base-$(date -u +%Y%m%dT%H%M%SZ).tar.gz.age
    # The log comes by the receiver, so it is not copied a second time, nor need PostgreSQL remind us of it.
    PGOPTIONS='-c client_min_messages=warning' pg_basebackup --pgdata - --format tar --checkpoint fast --wal-method none --manifest-checksums SHA256 --no-password |
      gzip --fast | encrypt_to "$target" || { rm -f "$target"; exit 1; }
    echo "$target"
    ;;
  dump)
    mkdir -p "${2:?folder}"
    target=$2/dump-$(date -u +%Y%m%dT%H%M%SZ).pgdump.age
    # Without the queue: its login owns that schema, and a restore by a superuser would run what it put there.
    pg_dump --format custom --exclude-schema jobs --dbname "${PGDATABASE:-unsaid}" | encrypt_to "$target" || { rm -f "$target"; exit 1; }
    echo "$target"
    ;;
  prune)
    find "${2:?folder}" -mindepth 1 -maxdepth 1 \( -name 'base-*' -o -name 'dump-*' -o -name '[0-9A-F]*' \) -mtime +$days -print -exec rm -rf {} +
    ;;
  restore)
    base=${2:?base} wal=$(cd "${3:?wal}" && pwd) data=${4:?data} key=$(realpath "${5:?key}")
    mkdir -p "$data"
    [ -z "$(ls -A "$data")" ] || { echo "backup: $data is not empty" >&2; exit 1; }
    age --decrypt --identity "$key" "$base" | tar -xzf - -C "$data"
    # Without the log, which is elsewhere: every file is there, and is what it was.
    pg_verifybackup --no-parse-wal --quiet "$data"
    chmod 700 "$data"
    cat >>"$data/postgresql.auto.conf" <<CONF
restore_command = 'if [ -e "$wal/%f.gz.age" ]; then age --decrypt --identity "$key" "$wal/%f.gz.age" | gzip -d >"%p"; else cp "$wal/%f" "%p" 2>/dev/null || cp "$wal/%f.partial" "%p"; fi'
# Nobody receives yet, and a commit would wait for ever.
synchronous_standby_names = ''
CONF
    touch "$data/recovery.signal"
    echo "start PostgreSQL on $data, then: delete from identity.sessions; and take $key off this machine"
    ;;
  *)
    sed -n '2,12p' "$0" | cut -c3- >&2
    exit 64
    ;;
esac
