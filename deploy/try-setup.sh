#!/usr/bin/env bash
# Runs deploy/setup.sh on a fresh Debian 12 (debootstrap, in a namespace without a network) until the first vent over TLS:
#   deploy/try-setup.sh
# What stands in for what: PID 1 is not systemd, so deploy/units.ts reads the units; the provider of SMS and the receiver of
# alerts are a server here; Caddy signs the certificate itself. The packages are installed before, as setup.sh would.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo 'try-setup: needs root' >&2; exit 1; }
. tools/env.sh
work=${UNSAID_TRY_DIR:-/var/tmp/unsaid-setup}
mkdir -p "$work"
[ -e web/dist/index.html ] || npm run -s build
if [ ! -e "$work/base.done" ]; then
  command -v debootstrap >/dev/null || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq debootstrap >/dev/null; }
  rm -rf "$work/base"
  debootstrap --variant=minbase --include=ca-certificates,curl,openssl,procps,iproute2,systemd,postgresql,redis-server,caddy,prometheus,prometheus-alertmanager,prometheus-node-exporter,age \
    bookworm "$work/base" >"$work/debootstrap.log" 2>&1
  touch "$work/base.done"
fi
rm -rf "$work/root" && cp -a "$work/base" "$work/root"
mkdir -p "$work/root/opt/unsaid"
echo '127.0.0.1 localhost moderation.localhost' >"$work/root/etc/hosts"
cat >"$work/root/root/try.sh" <<'TRY'
set -euo pipefail
cd /opt/unsaid && . tools/env.sh
mkdir /trial && cd /trial
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout key -out crt 2>/dev/null
chmod 644 crt
node --input-type=module -e '
  import { createServer } from "node:https"; import { createServer as plain } from "node:http"; import { appendFileSync, readFileSync } from "node:fs";
  const take = (file) => (request, response) => {
    let body = "";
    request.on("data", (part) => { body += part; });
    request.on("end", () => {
      appendFileSync(file, `${body}\n`);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ type: "success" }));
    });
  };
  createServer({ key: readFileSync("key"), cert: readFileSync("crt") }, take("messages")).listen(8443, "127.0.0.1");
  plain(take("alerts")).listen(8444, "127.0.0.1");' &
printf 'MSG91_URL=https://127.0.0.1:8443\nNODE_EXTRA_CA_CERTS=/trial/crt\n' >more
cat >code <<'CODE'
for _ in $(seq 50); do [ -s /trial/messages ] && break; sleep 0.2; done
node -p 'JSON.parse(require("node:fs").readFileSync("/trial/messages", "utf8").trim().split("\n").at(-1)).recipients[0].code'
CODE
export SITE=localhost MOD_ALLOWED=127.0.0.1/32 OFFICER='Asha Rao <officer@localhost.example>' MSG91='none none' \
  ALERT_TO=http://127.0.0.1:8444/ PHONE=+919900000001 CURL_OPTIONS=-k CODE_COMMAND='bash /trial/code'
begun=$SECONDS
bash /opt/unsaid/deploy/setup.sh --settings /trial/more
echo
echo "setup took $((SECONDS - begun)) s; the alert that arrived:"
grep -o '"summary":"[^"]*"' /trial/alerts | sort -u
grep -q 'Setup: alerts reach you' /trial/alerts
! bash /opt/unsaid/deploy/setup.sh </dev/null 2>/trial/again || { echo 'setup ran twice' >&2; exit 1; }
cat /trial/again
TRY
unshare --mount --pid --net --fork --kill-child bash -c '
  set -e; root=$1 repo=$2
  ip link set lo up
  mount --make-rprivate /
  mount --bind "$repo" "$root/opt/unsaid" && mount -o remount,bind,ro "$root/opt/unsaid"
  mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"; mount -t tmpfs tmpfs "$root/run"; mkdir -p "$root/run/lock"
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$root" bash /root/try.sh' bash "$work/root" "$PWD"
