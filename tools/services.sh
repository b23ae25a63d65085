#!/usr/bin/env bash
# Finds PostgreSQL and Redis, or starts Debian's, and prints how to reach them:
#   DATABASE_URL=…   (the server's database "unsaid"; it need not exist yet)
#   REDIS_URL=…
# Uses DATABASE_URL and REDIS_URL where they are given.
set -euo pipefail

say() { echo "services: $*" >&2; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
as_postgres() { as_root su postgres -c "cd / && $1"; }
install() {
  say "installing $* (Debian's)"
  as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

me=$(id -un)
find_postgres() {
  local url
  for url in "postgres://$me@127.0.0.1:5432" "postgres://$me@%2Fvar%2Frun%2Fpostgresql" "postgres://postgres@127.0.0.1:5432"; do
    # Creating roles and databases needs a superuser. A password is not asked for (-w): the next address may need none.
    if [ "$(psql "$url/postgres" -wXAtc "select rolsuper from pg_roles where rolname = current_user" 2>/dev/null)" = t ]; then
      # Drivers differ in how they write a socket's folder in an address; this form is the one pg takes.
      case "$url" in *%2F*) echo "postgres://$me@localhost/unsaid?host=/var/run/postgresql" ;; *) echo "$url/unsaid" ;; esac
      return 0
    fi
  done
  return 1
}

if [ -z "${DATABASE_URL:-}" ]; then
  command -v psql >/dev/null && [ -d /etc/postgresql ] || install postgresql
  if ! DATABASE_URL=$(find_postgres); then
    version=$(ls /etc/postgresql | sort -n | tail -n 1)
    as_root pg_ctlcluster --skip-systemctl-redirect "$version" main start 2>/dev/null || true
    for _ in 1 2 3 4 5 6 7 8 9 10; do pg_isready -q && break; sleep 0.5; done
    if ! DATABASE_URL=$(find_postgres); then
      say "giving $me a role in PostgreSQL"
      as_postgres "createuser --superuser $me" || true
      DATABASE_URL=$(find_postgres) || { say "PostgreSQL cannot be reached"; exit 1; }
    fi
  fi
fi

if [ -z "${REDIS_URL:-}" ]; then
  REDIS_URL=redis://127.0.0.1:6379
  command -v redis-cli >/dev/null || install redis-server
  if ! redis-cli -u "$REDIS_URL" ping >/dev/null 2>&1; then
    # No persistence: a file with codes and counters could be stolen, and losing them does little harm.
    redis-server --daemonize yes --bind 127.0.0.1 --port 6379 --save "" --appendonly no --dir /tmp >/dev/null
    for _ in 1 2 3 4 5 6 7 8 9 10; do redis-cli -u "$REDIS_URL" ping >/dev/null 2>&1 && break; sleep 0.5; done
    redis-cli -u "$REDIS_URL" ping >/dev/null || { say "Redis cannot be reached"; exit 1; }
  fi
fi

echo "DATABASE_URL=$DATABASE_URL"
echo "REDIS_URL=$REDIS_URL"
