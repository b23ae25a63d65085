#!/usr/bin/env bash
# Sets up the whole service on one machine with Debian 12, as root: asks six questions, makes every secret, starts everything
# and tries it. With a Docker daemon it fills in deploy/.env and deploy/server.env and starts compose; otherwise it installs
# Debian's packages and the units of deploy/systemd, and runs from /opt/unsaid. It refuses to run twice.
#   deploy/setup.sh [--settings FILE]    FILE: more lines for the server's settings
# An answer that is already in the environment (SITE, MOD_ALLOWED, OFFICER, MSG91, ALERT_TO, PHONE) is not asked for.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 077
say() { printf '\n== %s\n' "$*"; }
die() { echo "setup: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die 'needs root'
more=/dev/null
[ "${1:-}" != --settings ] || more=$(realpath "${2:?file}")
if docker info >/dev/null 2>&1; then layout=compose; else layout=units; fi
[ $layout = compose ] || [ "$PWD" = /opt/unsaid ] || die 'move this folder to /opt/unsaid first'
[ ! -e /etc/unsaid/server.env ] && [ ! -e deploy/server.env ] || die 'is set up already: change deploy/server.env or /etc/unsaid/server.env'

ask() { # NAME, question
  [ -n "${!1:-}" ] || { printf '%s\n> ' "$2" && read -r "${1?}"; }
  [ -n "${!1}" ] || die "$1: no answer"
}
ask SITE '1/6  Public name of the site (its DNS points here), for example unsaid.example'
ask MOD_ALLOWED '2/6  Who may open the moderation console: addresses or ranges, with spaces between'
ask OFFICER '3/6  Grievance officer: Name <mail@example.org>'
ask MSG91 '4/6  MSG91: key and template id, with a space between'
ask ALERT_TO '5/6  Where alerts go: an address of mail, or a webhook (https://…)'
ask PHONE '6/6  Your own mobile number, to try it: +91…'
read -r officer_name officer_mail < <(sed -E 's/^(.*) <(.*)>$/\1\t\2/' <<<"$OFFICER" | tr ' \t' '\037 ')
officer_name=${officer_name//$'\037'/ }
[[ $officer_mail == *@* ]] || die 'the officer needs a name and <mail>'
read -r msg91_key msg91_template <<<"$MSG91"
MOD_SITE=moderation.$SITE BACKUP_FOLDER=/backup

say 'secrets'
names=(POSTGRES IDENTITY CONTENT MATCHING MODERATION JOBS MIGRATOR BACKUP)
# Another login that the example names gets a password too.
for name in $(sed -n 's/^\([A-Z]*\)_PASSWORD=$/\1/p' deploy/env.example); do
  [[ $name == ALERT_SMTP || " ${names[*]} " == *" $name "* ]] || names+=("$name")
done
for name in "${names[@]}"; do export "${name}_PASSWORD=$(openssl rand -hex 24)"; done
command -v age-keygen >/dev/null || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq age >/dev/null; }
# In a file first: what is only on a screen is lost with it.
safe=/root/unsaid-safe.txt
[ ! -e $safe ] || die "$safe exists: put it into the safe and delete it first"
age-keygen -o /root/unsaid-backup.key 2>/dev/null
recipient=$(age-keygen -y /root/unsaid-backup.key)
MASTER_KEY=$(openssl rand -base64 32)
cat >$safe <<TEXT
Unsaid, $SITE, $(date -u +%F). Print this page twice, keep the copies in two places, and delete this file from the machine.

Master key. Whoever loses it loses every account; whoever finds it together with a copy of the database reads everything.
  $MASTER_KEY

Key of the backups. Without it they cannot be restored. Delete /root/unsaid-backup.key from the machine too.
$(sed 's/^/  /' /root/unsaid-backup.key)
TEXT
sync

settings() {
  cat <<ENV
MASTER_KEY=$MASTER_KEY
SMS_PROVIDER=msg91
MSG91_AUTH_KEY=$msg91_key
MSG91_TEMPLATE_ID=$msg91_template
GRIEVANCE_OFFICER_NAME=$officer_name
GRIEVANCE_OFFICER_EMAIL=$officer_mail
ENV
  cat "$more"
}
install -d -m 700 $BACKUP_FOLDER

if [ $layout = compose ]; then
  say 'compose'
  chown 999:999 $BACKUP_FOLDER
  settings >deploy/server.env
  for name in "${names[@]}"; do variable=${name}_PASSWORD && echo "$variable=${!variable}"; done >deploy/.env
  cat >>deploy/.env <<ENV
SITE=$SITE
MOD_SITE=$MOD_SITE
MOD_ALLOWED=$MOD_ALLOWED
BACKUP_RECIPIENT=$recipient
BACKUP_FOLDER=$BACKUP_FOLDER
ALERT_TO=$ALERT_TO
ENV
  docker compose -f deploy/compose.yaml up -d --build --wait
  backup() { docker compose -f deploy/compose.yaml run --rm -T -v /root/unsaid-backup.key:/key:ro --user 0 backup "$@"; }
  amtool() { docker compose -f deploy/compose.yaml exec -T alertmanager amtool --alertmanager.url=http://localhost:9093 "$@"; }
  alert_metrics() { docker compose -f deploy/compose.yaml exec -T alertmanager wget -qO- http://localhost:9093/metrics; }
  key=/key
else
  say "Debian's packages"
  packages=(postgresql redis-server caddy prometheus prometheus-alertmanager prometheus-node-exporter age curl)
  dpkg -s "${packages[@]}" >/dev/null 2>&1 ||
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null; }
  . tools/env.sh
  [ -d node_modules ] || npm ci --no-audit --no-fund
  [ -e web/dist/index.html ] || npm run build
  node=$(command -v node)
  # Where PID 1 is not systemd, a stand-in reads the same units.
  [ -d /run/systemd/system ] || systemctl() { "$node" deploy/units.ts "$@"; }
  for user in unsaid unsaid-backup; do
    id $user >/dev/null 2>&1 || useradd --system --user-group --home-dir /nonexistent --shell /usr/sbin/nologin $user
  done
  chown unsaid-backup: $BACKUP_FOLDER
  install -d -m 1777 /var/lib/prometheus/node-exporter

  say 'PostgreSQL and Redis'
  version=$(ls /etc/postgresql | sort -n | tail -n 1)
  # Another one where 5432 was taken.
  port=$(pg_lsclusters -h | awk -v version="$version" '$1 == version && $2 == "main" { print $3 }')
  (umask 022 && deploy/backup.sh settings >"/etc/postgresql/$version/main/conf.d/unsaid.conf" && echo 'max_connections = 200' >>"/etc/postgresql/$version/main/conf.d/unsaid.conf")
  systemctl stop "postgresql@$version-main" && systemctl start "postgresql@$version-main"
  as_postgres() { (cd / && setpriv --reuid=postgres --regid=postgres --init-groups "$@"); }
  as_postgres psql -Xqc 'create database unsaid' -c "alter role postgres password '$POSTGRES_PASSWORD'"
  as_postgres psql -Xq -d unsaid -f - <deploy/logins.sql
  as_postgres psql -Xqc 'revoke connect on database postgres, template1 from public'
  # No persistence: nothing on disk to steal.
  printf 'save ""\nappendonly no\nmaxmemory 256mb\nmaxmemory-policy noeviction\n' >>/etc/redis/redis.conf
  systemctl stop redis-server && systemctl start redis-server

  say 'settings'
  install -d -m 755 /etc/unsaid
  url() { local variable=${1^^}_PASSWORD && echo "postgres://app_$1:${!variable}@127.0.0.1:$port/unsaid"; }
  {
    settings
    for name in "${names[@]}"; do
      case $name in POSTGRES | MIGRATOR | BACKUP | CONSOLE) ;; *) echo "${name}_DATABASE_URL=$(url "${name,,}")" ;; esac
    done
    printf 'REDIS_URL=redis://127.0.0.1:6379\nPUBLIC_ORIGIN=https://%s\nTRUSTED_PROXIES=127.0.0.1\nHOST=127.0.0.1\n' "$SITE"
  } >/etc/unsaid/server.env
  # The console's login is its own: no other process may add a moderator.
  printf '%s\n' "MOD_ORIGIN=https://$MOD_SITE" "CONSOLE_DATABASE_URL=$(url console)" >/etc/unsaid/mod.env
  echo "SITE=https://$SITE" >/etc/unsaid/probe.env
  sed -e "s/^PGPASSWORD=$/PGPORT=$port\n&$BACKUP_PASSWORD/" -e "s/^BACKUP_RECIPIENT=$/&$recipient/" deploy/backup.env.example >/etc/unsaid/backup.env
  chown root:unsaid /etc/unsaid/{server,mod,probe}.env && chown root:unsaid-backup /etc/unsaid/backup.env && chmod 640 /etc/unsaid/*.env
  env -i PATH="$PATH" NODE_ENV=production "DATABASE_URL=$(url migrator)" "JOBS_DATABASE_URL=$(url jobs)" "$node" server/src/bin/migrate.ts | tail -n 1
  # Before 2.7 Caddy does not know stream_close_delay.
  (umask 022
    sed -e "s/{\$SITE:[^}]*}/$SITE/" -e "s/{\$MOD_SITE:[^}]*}/$MOD_SITE/" -e "s#{\$MOD_ALLOWED:[^}]*}#$MOD_ALLOWED#" \
      -e 's/{\$\(API\|MOD\)_HOST:[^}]*}/127.0.0.1/' deploy/Caddyfile >/etc/caddy/Caddyfile
    caddy adapt --config /etc/caddy/Caddyfile >/dev/null 2>&1 || sed -i '/stream_close_delay/d' /etc/caddy/Caddyfile
    cp deploy/prometheus/alerts.yml /etc/prometheus/alerts.yml
    cp deploy/prometheus/debian.yml /etc/prometheus/prometheus.yml
    cp deploy/systemd/* /etc/systemd/system/)
  # Only for this machine. One Alertmanager has no cluster, which would need a private address.
  echo 'ARGS="--web.listen-address=127.0.0.1:9090"' >/etc/default/prometheus
  echo 'ARGS="--web.listen-address=127.0.0.1:9093 --cluster.listen-address="' >/etc/default/prometheus-alertmanager
  echo 'ARGS="--web.listen-address=127.0.0.1:9100"' >/etc/default/prometheus-node-exporter
  ALERT_TO=$ALERT_TO sh deploy/prometheus/alertmanager.sh >/etc/prometheus/alertmanager.yml
  chown root:prometheus /etc/prometheus/alertmanager.yml && chmod 640 /etc/prometheus/alertmanager.yml

  say 'services'
  ours=(unsaid-wal unsaid-api unsaid-worker unsaid-mod unsaid-probe unsaid-daily.timer)
  theirs=(prometheus-node-exporter prometheus-alertmanager prometheus caddy)
  [ ! -d /run/systemd/system ] || { systemctl daemon-reload && systemctl enable -q "${ours[@]}"; }
  systemctl stop "${theirs[@]}"
  systemctl start "${ours[@]}" "${theirs[@]}"
  backup() { case $1 in daily) systemctl start unsaid-daily ;; *) deploy/backup.sh "$@" ;; esac; }
  amtool() { command amtool --alertmanager.url=http://localhost:9093 "$@"; }
  alert_metrics() { curl -s http://localhost:9093/metrics; }
  key=/root/unsaid-backup.key
fi

say 'does it work?'
origin=https://$SITE
jar=$(mktemp)
call() { curl -sS ${CURL_OPTIONS:-} -b "$jar" -c "$jar" -H 'content-type: application/json' "$@"; }
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
for _ in $(seq 120); do call -f "$origin/readyz" >/dev/null 2>&1 && break; sleep 1; done
call -f "$origin/readyz" >/dev/null || die "$origin does not answer; see docs/runbook.md#site-does-not-answer"
echo "ok  $origin answers over TLS"
call -f "$origin/api/auth/request-otp" -d "{\"phone\":\"$PHONE\"}" >/dev/null || die 'no code could be sent'
unset CODE_TYPED
if [ -n "${CODE_COMMAND:-}" ]; then CODE_TYPED=$(bash -c "$CODE_COMMAND"); else ask CODE_TYPED "     The code that arrived on $PHONE"; fi
token=$(call "$origin/api/auth/verify-otp" -d "{\"phone\":\"$PHONE\",\"otp\":\"$CODE_TYPED\"}" | field token)
[ -n "$token" ] || die 'the code was not accepted'
echo 'ok  a code arrived, and it signs in'
vent=$(call "$origin/api/vent/create" -H "authorization: Bearer $token" -d '{"title":"The first one","text":"Written by setup.","emotion":"Happy"}' | field _id)
[ -n "$vent" ] || die 'no vent could be posted'
echo "ok  a vent was posted: delete it in the app"
backup daily $BACKUP_FOLDER >/dev/null
backup try $BACKUP_FOLDER "$key" | sed 's/^/ok  /'
amtool alert add UnsaidSetup severity=info --annotation=summary='Setup: alerts reach you' >/dev/null
for _ in $(seq 90); do
  alert_metrics | grep -E '^alertmanager_notifications_total\{' | grep -qv ' 0$' && break
  sleep 1
done
alert_metrics | grep -E '^alertmanager_notifications_failed_total\{' | grep -v ' 0$' && die 'the alert was not accepted by its receiver'
alert_metrics | grep -E '^alertmanager_notifications_total\{' | grep -qv ' 0$' || die 'no alert was sent'
echo "ok  an alert rang at $ALERT_TO"
rm -f "$jar"

say "into the safe: $safe"
cat $safe
[ $layout = compose ] || printf '\nClose every port but 80 and 443 in your firewall: 9464 to 9466 are metrics, for this machine alone.\n'
