#!/usr/bin/env bash
# PostgreSQL backups, encrypted where they are made, and the restore. npm run drill:restore runs all of it.
#   deploy/backup.sh settings                   prints the required lines of postgresql.conf
#   deploy/backup.sh wal FOLDER                 receives the write-ahead log continuously; run it as a service, on another machine
#   deploy/backup.sh base FOLDER                base backup of the whole cluster; daily
#   deploy/backup.sh dump FOLDER                pg_dump of the database, without the job queue
#   deploy/backup.sh prune FOLDER               deletes what is older than 30 days: what a person deletes must leave the backups too
#   deploy/backup.sh restore BASE WAL DATA KEY  restores a cluster into the empty folder DATA, up to the end of WAL
# Connects with libpq's variables (PGHOST, PGPORT, PGUSER, PGPASSFILE), as a login with the replication attribute.
# BACKUP_RECIPIENT is the public key for encryption, age1…. Its private half, KEY, is created on another machine with
# age-keygen and is never on this one: PostgreSQL's files and log reveal the order and the times in which rows were
# written, also those of named comments. Only the log segment being received is in plain text, 16 MB at most.
set -euo pipefail
umask 077
PATH=$PATH:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
slot=unsaid_wal
days=30

# Written under a temporary name until complete and synced.
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
# A commit waits until the receiver has it on disk: no acknowledged write is lost with the machine. If empty, the last
# seconds may be lost; if set, writes hang while no receiver is connected.
synchronous_standby_names = 'unsaid_wal'
# A receiver that stays disconnected must not fill the disk. Beyond this size its slot is invalidated; take a new base.
max_slot_wal_keep_size = 20GB
# A log segment is encrypted once it is closed: when it is full, or this old.
archive_timeout = 10min
CONF
    ;;
  wal)
    mkdir -p "${2:?folder}"
    : "${BACKUP_RECIPIENT:?the public key, age1…}"
    pg_receivewal --directory "$2" --slot $slot --create-slot --if-not-exists
    # Ends with the receiver, which replaces this shell below (exec).
    (while sleep 1 && kill -0 $$ 2>/dev/null; do
      encrypt_segments "$2" || echo 'backup: log segments are not encrypted' >&2
    done) &
    exec pg_receivewal --directory "$2" --slot $slot --synchronous --dbname "application_name=$slot"
    ;;
  base)
    mkdir -p "${2:?folder}"
    target=$2/base-$(date -u +%Y%m%dT%H%M%SZ).tar.gz.age
    # The receiver copies the log, so the base backup excludes it; PostgreSQL's notice about that is silenced.
    PGOPTIONS='-c client_min_messages=warning' pg_basebackup --pgdata - --format tar --checkpoint fast --wal-method none --manifest-checksums SHA256 --no-password |
      gzip --fast | encrypt_to "$target" || { rm -f "$target"; exit 1; }
    echo "$target"
    ;;
  dump)
    mkdir -p "${2:?folder}"
    target=$2/dump-$(date -u +%Y%m%dT%H%M%SZ).pgdump.age
    # Without the job queue: its login owns that schema, and a restore by a superuser would run code that it put there.
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
    # Verifies every file of the base backup; the log is stored separately.
    pg_verifybackup --no-parse-wal --quiet "$data"
    chmod 700 "$data"
    cat >>"$data/postgresql.auto.conf" <<CONF
restore_command = 'if [ -e "$wal/%f.gz.age" ]; then age --decrypt --identity "$key" "$wal/%f.gz.age" | gzip -d >"%p"; else cp "$wal/%f" "%p" 2>/dev/null || cp "$wal/%f.partial" "%p"; fi'
# No receiver is connected yet, so a commit would wait forever.
synchronous_standby_names = ''
CONF
    touch "$data/recovery.signal"
    echo "start PostgreSQL on $data, then: delete from identity.sessions; and delete $key from this machine"
    ;;
  *)
    sed -n '2,12p' "$0" | cut -c3- >&2
    exit 64
    ;;
esac
