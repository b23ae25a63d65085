#!/usr/bin/env bash
# PostgreSQL backups, encrypted where they are made, and the restore. npm run drill:restore runs all of it.
#   deploy/backup.sh settings [synchronous]   prints the required lines of postgresql.conf
#   deploy/backup.sh wal FOLDER               receives the write-ahead log continuously; run it as a service
#   deploy/backup.sh daily FOLDER             base backup of the whole cluster, then prune; once a day
#   deploy/backup.sh every-day FOLDER         the same, again and again, where no timer runs it
#   deploy/backup.sh dump FOLDER              pg_dump of the database, without the job queue; as app_migrator
#   deploy/backup.sh prune FOLDER             deletes what is older than 30 days: what a person deletes must leave the backups too
#   deploy/backup.sh restore FOLDER DATA KEY  restores the newest backup into the empty folder DATA, and ends every session;
#                                             KEY may be -, for stdin
#   deploy/backup.sh try FOLDER KEY           KEY as above; restores it into a temporary folder, prints what it holds, and removes it
# Connects with libpq's variables (PGHOST, PGPORT, PGUSER, PGPASSWORD), as app_backup: replication is all it needs.
# As root they are those of /etc/unsaid/backup.env, and FOLDER's owner does the work: what root wrote could not be replaced.
# BACKUP_RECIPIENT is the public key for encryption, age1…. Its private half, KEY, does not stay on this machine: PostgreSQL's
# files and log reveal the order and the times in which rows were written, also those of named comments. Only the log segment
# being received is in plain text, 16 MB at most.
# BACKUP_METRICS is the folder that Prometheus' node exporter reads (--collector.textfile.directory).
set -euo pipefail
umask 077
PATH=$PATH:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
case ${1:-} in
  wal | daily | every-day | prune)
    if [ "$(id -u)" = 0 ] && [ -d "${2:-}" ] && [ "$(stat -c %u "$2")" != 0 ]; then
      # shellcheck source=/dev/null
      [ -n "${PGUSER:-}" ] || [ ! -r /etc/unsaid/backup.env ] || { set -a && . /etc/unsaid/backup.env && set +a; }
      exec setpriv --reuid="$(stat -c %u "$2")" --regid="$(stat -c %g "$2")" --init-groups bash "$0" "$@"
    fi
    ;;
esac
slot=unsaid_wal
days=30
fail() { echo "backup: $*" >&2; exit 1; }

# Written under a temporary name until complete and synced.
encrypt_to() {
  age --encrypt --recipient "${BACKUP_RECIPIENT:?the public key, age1…}" --output "$1.new" || { rm -f "$1.new"; return 1; }
  sync "$1.new" && mv "$1.new" "$1" && sync "$(dirname "$1")"
}
encrypt_segments() {
  local segment
  for segment in "$1"/[0-9A-F]*; do
    case "${segment##*/}" in *.* | *'*') continue ;; esac
    encrypt_segment "$segment"
  done
}
encrypt_segment() { gzip --fast --stdout "$1" | encrypt_to "$1.gz.age" && rm "$1"; }

# One command of the replication protocol. The login may run no SQL.
ask() { psql 'replication=true' -wXAtqc "$1"; }
bytes_of() { printf '%s' $((16#${1%/*} * 16#100000000 + 16#${1#*/})); }
report() {
  [ -n "${BACKUP_METRICS:-}" ] || return 0
  local file=$BACKUP_METRICS/unsaid_backup_$1.prom
  { printf 'unsaid_backup_last_success_timestamp_seconds{kind="%s"} %s\n' "$1" "$2" && cat; } >"$file.new"
  # The exporter is another user.
  chmod 644 "$file.new" && mv "$file.new" "$file"
}
written() { ask IDENTIFY_SYSTEM | cut -d'|' -f3; }
# Empty where the slot does not exist, or has lost its log.
received() { ask "READ_REPLICATION_SLOT $slot" | cut -d'|' -f2; }
report_log() {
  local end at
  end=$(written) && at=$(received) && [ -n "$at" ] || return 1
  echo "unsaid_backup_slot_behind_bytes $(($(bytes_of "$end") - $(bytes_of "$at")))" | report wal "$(date +%s)"
}
# A base backup needs the log from its first moment to its last.
wait_until_received() {
  local at
  for _ in $(seq 300); do
    at=$(received) && [ -n "$at" ] && [ "$(bytes_of "$at")" -ge "$1" ] && return 0
    sleep 1
  done
  echo 'backup: the log is not received: is the service with "wal" running?' >&2
  return 1
}
newest_base() { find "$1" -maxdepth 1 -name 'base-*.age' | sort | tail -n 1; }
report_base() {
  local newest
  newest=$(newest_base "$1")
  [ -z "$newest" ] || echo "unsaid_backup_base_bytes $(stat -c %s "$newest")" | report base "$(stat -c %Y "$newest")"
}

take_base() {
  local target
  mkdir -p "$1"
  written >/dev/null || { echo "backup: cannot log in as ${PGUSER:-$(id -un)}" >&2 && return 1; }
  # The slot keeps the log from here on.
  wait_until_received 0 || return 1
  target=$1/base-$(date -u +%Y%m%dT%H%M%SZ).tar.gz.age
  # The receiver copies the log, so the base backup excludes it; PostgreSQL's notice about that is silenced.
  PGOPTIONS='-c client_min_messages=warning' pg_basebackup --pgdata - --format tar --checkpoint fast --wal-method none --manifest-checksums SHA256 --no-password |
    gzip --fast | encrypt_to "$target" || { rm -f "$target"; return 1; }
  wait_until_received "$(bytes_of "$(written)")" || return 1
  report_base "$1"
  echo "$target"
}
prune() {
  find "$1" -mindepth 1 -maxdepth 2 -type f \( -name 'base-*' -o -name 'dump-*' -o -path '*/wal/[0-9A-F]*' \) -mtime +$days -print -delete
}

# PostgreSQL refuses to run as root.
as_server() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups "$@"; else "$@"; fi; }
unfinished='' scratch=''
# What failed leaves nothing behind: no key, no server, and a folder that the next try can use.
clean_up() {
  if [ -n "$unfinished" ]; then
    as_server pg_ctl --pgdata "$unfinished" --mode immediate --silent stop 2>/dev/null || true
    find "$unfinished" -mindepth 1 -delete
  fi
  [ -z "$scratch" ] || rm -rf "$scratch"
}
# Restores into $2. The server that recovers listens on a socket of its own folder alone: nobody connects before the
# sessions are gone, and it needs no postgresql.conf, which Debian keeps elsewhere.
restore() {
  local folder data=$2 key base work segment first name sessions
  folder=$(cd "$1" && pwd)
  base=$(newest_base "$folder")
  [ -n "$base" ] || fail "no base backup in $folder"
  mkdir -p "$data" && data=$(cd "$data" && pwd)
  [ -z "$(ls -A "$data")" ] || fail "$data is not empty"
  work=$data/restoring key=$data/restoring/key
  mkdir -p "$work/wal"
  unfinished=$data
  trap clean_up EXIT
  if [ "$3" = - ]; then cat; else cat "$3"; fi >"$key"
  age --decrypt --identity "$key" "$base" 2>"$work/said" | head -c 1 >"$work/first" || true
  [ -s "$work/first" ] || fail "this key does not open ${base##*/}: $(head -n 1 "$work/said")"
  rm "$work/said" "$work/first"
  [ "$(id -u)" != 0 ] || chown -R postgres: "$data"
  age --decrypt --identity "$key" "$base" | as_server tar -xzf - -C "$data" || fail "${base##*/} is damaged"
  # Verifies every file of the base backup; the log is stored separately.
  as_server pg_verifybackup --no-parse-wal --quiet --ignore restoring "$data"
  chmod 700 "$data"
  # All of the log is decrypted first: to PostgreSQL, a segment that cannot be read would look like the end of the log.
  first=$(sed -n 's/^START WAL LOCATION: .*(file \(.*\))$/\1/p' "$data/backup_label")
  for segment in "$folder"/wal/[0-9A-F]*; do
    name=${segment##*/}
    [[ ${name:8:16} < ${first:8} && $name != *.history ]] && continue
    case $name in
      *.new) continue ;;
      *.gz.age) age --decrypt --identity "$key" "$segment" | gzip -d >"$work/wal/${name%.gz.age}" || fail "${segment#"$folder/"} is damaged" ;;
      *) cp "$segment" "$work/wal/" ;;
    esac
  done
  rm "$key"
  # The last segment that was received, where it was not complete.
  for segment in "$work"/wal/*.partial; do [ ! -e "$segment" ] || mv -n "$segment" "${segment%.partial}"; done
  printf 'local all all trust\n' >"$work/pg_hba.conf"
  : >"$work/pg_ident.conf"
  printf "restore_command = 'cp \"%s/wal/%%f\" \"%%p\"'\nmax_connections = 20\n" "$work" >"$work/postgresql.conf"
  touch "$data/recovery.signal" "$work/log"
  [ "$(id -u)" != 0 ] || chown -R postgres: "$data/recovery.signal" "$work"
  # hot_standby is off, so it accepts nobody until recovery has ended. Options win over postgresql.auto.conf.
  as_server pg_ctl --pgdata "$data" --silent --log "$work/log" --options "-c config_file='$work/postgresql.conf' \
    -c hba_file='$work/pg_hba.conf' -c ident_file='$work/pg_ident.conf' -c unix_socket_directories='$work' -c listen_addresses= \
    -c hot_standby=off -c archive_mode=off -c synchronous_standby_names= -c logging_collector=off" start || true
  say() { as_server psql -h "$work" -U postgres -d "${PGDATABASE:-unsaid}" -wXAtq "$@"; }
  until say -d postgres -c 'select 1' >/dev/null 2>&1; do
    as_server pg_ctl --pgdata "$data" status >/dev/null || { tail -n 20 "$work/log" >&2; fail 'recovery failed'; }
    sleep 0.2
  done
  last_moment=$(say -c "select to_char(coalesce(pg_last_xact_replay_timestamp(), '$(sed -n 's/^START TIME: //p' "$data"/backup_label*)') at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
  sessions=$(say -c 'with a as (delete from identity.sessions returning 1), b as (delete from moderation.sessions returning 1) select (select count(*) from a) + (select count(*) from b)')
  echo "restored ${base##*/} and $(find "$work/wal" -type f | wc -l) segments of the log: $(say -c 'select count(*) from content.vents') vents; $sessions sessions ended"
  echo "last moment: $last_moment"
  as_server pg_ctl --pgdata "$data" --mode fast --wait --silent stop
  rm -rf "$work"
  unfinished=''
}

case "${1:-}" in wal | daily | every-day | dump | restore | try)
  command -v age >/dev/null || fail 'needs age (apt-get install age)' ;;
esac
case "${1:-}" in
  settings)
    cat <<'CONF'
wal_level = replica
max_wal_senders = 5
max_replication_slots = 5
# A receiver that stays disconnected must not fill the disk. Beyond this size its slot is invalidated; take a new base.
max_slot_wal_keep_size = 20GB
# A log segment is encrypted once it is closed: when it is full, or this old.
archive_timeout = 10min
CONF
    [ "${2:-}" != synchronous ] || cat <<CONF
# A commit waits until the receiver has it on disk: no acknowledged write is lost with the machine. The price: while no
# receiver is connected, every write hangs.
synchronous_standby_names = '$slot'
CONF
    ;;
  wal)
    wal=${2:?folder}/wal
    mkdir -p "$wal"
    : "${BACKUP_RECIPIENT:?the public key, age1…}"
    # After a restore the server is on a new timeline, and the unfinished segment of the old one would be asked for in vain.
    timeline=$(printf '%08X' "$(ask IDENTIFY_SYSTEM | cut -d'|' -f2)")
    for partial in "$wal"/*.partial; do
      case "${partial##*/}" in '*.partial' | "$timeline"*) ;; *) encrypt_segment "$partial" ;; esac
    done
    encrypt_segments "$wal"
    pg_receivewal --directory "$wal" --slot $slot --create-slot --if-not-exists --no-password
    # Ends with the receiver, which replaces this shell below (exec).
    (while sleep 1 && kill -0 $$ 2>/dev/null; do
      encrypt_segments "$wal" || echo 'backup: log segments are not encrypted' >&2
      [ $((SECONDS % 10)) != 0 ] || report_log || echo 'backup: the slot cannot be read' >&2
    done) &
    exec pg_receivewal --directory "$wal" --slot $slot --synchronous --no-password --dbname "application_name=$slot"
    ;;
  daily)
    take_base "${2:?folder}"
    prune "$2"
    ;;
  every-day)
    mkdir -p "${2:?folder}/wal"
    # At once if there is none of the last day, or none since a restore: that begins a new timeline. A failure is tried again
    # after a minute; the alert rings meanwhile.
    while :; do
      newest=$(newest_base "$2")
      if [ -z "$newest" ] || [ -n "$(find "$newest" -mmin +1440)" ] || [ -n "$(find "$2/wal" -name '*.history' -newer "$newest")" ]; then
        { take_base "$2" && prune "$2"; } || echo 'backup: the base backup failed' >&2
      fi
      report_base "$2"
      sleep 60
    done
    ;;
  dump)
    mkdir -p "${2:?folder}"
    target=$2/dump-$(date -u +%Y%m%dT%H%M%SZ).pgdump.age
    # Without the job queue: its login owns that schema, and a restore by a superuser would run code that it put there.
    pg_dump --format custom --exclude-schema jobs --dbname "${PGDATABASE:-unsaid}" | encrypt_to "$target" || { rm -f "$target"; exit 1; }
    echo "$target"
    ;;
  prune) prune "${2:?folder}" ;;
  restore)
    : "${4:?FOLDER DATA KEY}"
    # It would go on with sessions that it remembers, or write to the database that is being replaced.
    if pg_isready -q; then
      connected=$(unset PGUSER PGPASSWORD && as_server psql -wXAtq -d postgres -c "select count(*) from pg_stat_activity where application_name like 'unsaid%' and application_name <> '$slot'") ||
        fail 'a PostgreSQL server answers, and cannot be asked who is connected: stop it'
      [ "$connected" = 0 ] || fail "the service is connected ($connected connections): stop api, worker and mod first"
    fi
    restore "$2" "$3" "$4"
    # No receiver is connected yet, so a commit would wait forever.
    echo "synchronous_standby_names = ''" >>"$3/postgresql.auto.conf"
    cat <<TEXT
With the synchronous receiver nothing that was acknowledged is missing. Otherwise tell people for 30 days: put this line into
the server's settings, with the moment of the loss instead of the present one:
DATA_LOST=$last_moment/$(date -u +%Y-%m-%dT%H:%M:%SZ)
Start PostgreSQL on $3, and delete the key from this machine.
TEXT
    ;;
  try)
    scratch=$(mktemp -d)
    trap clean_up EXIT
    chmod 711 "$scratch"
    restore "${2:?folder}" "$scratch/data" "${3:?key}"
    ;;
  *)
    sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" >&2
    exit 64
    ;;
esac
