#!/usr/bin/env bash
# A machine of its own on this one, as setup.sh finds it: Debian's packages are installed, nothing is set up. It has its own
# network, processes, users and files, in memory, and is gone with COMMAND.
#   unshare --mount --net --pid --uts --fork --kill-child machine.sh units|compose EDITED COMMAND…
# EDITED is a folder with files to lay over the repository, or empty.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../.." && pwd)
layout=$1 edited=$2
shift 2
mount --make-rprivate /
hostname unsaid
ip link set lo up
root=/mnt
mount -t tmpfs -o mode=755 tmpfs $root
bash "$here/root.sh" $root
release=$root/opt/unsaid-releases/trial
mkdir -p "$release" $root/{trial/bin,trial/deploy,var/lib/dpkg}
mount --rbind "$repo" "$release" && ln -s unsaid-releases/trial $root/opt/unsaid
# setup.sh writes the settings of compose there.
git -C "$repo" ls-files -z deploy | tar -c --null -C "$repo" --files-from - | tar -x --no-same-owner -C $root/trial
mount --bind $root/trial/deploy "$release/deploy"
if [ -n "$edited" ]; then
  (cd "$edited" && find . -type f) | while IFS= read -r file; do mount --bind "$edited/$file" "$release/$file"; done
fi
mount --bind /var/lib/dpkg $root/var/lib/dpkg
rm -rf $root/etc/unsaid $root/etc/postgresql
printf '127.0.0.1 localhost unsaid.local moderation.unsaid.local\n' >$root/etc/hosts
printf 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' >$root/etc/resolv.conf

# Stands in for the public authority, and everything here trusts it. Caddy signs with it.
authority=var/lib/caddy/.local/share/caddy/pki/authorities/local
(cd $root && mkdir -p $authority &&
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 7 -subj '/CN=Authority of a trial' \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign -keyout $authority/root.key -out $authority/root.crt 2>/dev/null &&
  cp $authority/root.crt trial/authority.crt && cat trial/authority.crt >>etc/ssl/certs/ca-certificates.crt)

# What the packages would find and make.
for user in caddy postgres prometheus redis; do
  name=${user/postgres/postgresql}
  install -d -o $user -g $user $root/var/lib/$name $root/var/log/$name && chown -R $user: $root/var/lib/$name
done
chroot $root pg_createcluster --locale C.UTF-8 "$(ls /usr/lib/postgresql | sort -n | tail -n 1)" main >/dev/null

mkdir -p $root/run/systemd/system
case $layout in units) names='systemctl journalctl systemd-run' ;; compose) names=docker ;; esac
for name in $names; do
  printf '#!/bin/sh\nexec node /opt/unsaid/tools/shipped/%s.ts %s "$@"\n' "${names%% *}" "$name" >$root/trial/bin/$name
  chmod 755 $root/trial/bin/$name
done
# Not exec: this shell is the first process, and collects those that lost their parents.
env -i PATH=/trial/bin:/opt/unsaid/tools/node/node_modules/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  HOME=/root LC_ALL=C.UTF-8 NODE_EXTRA_CA_CERTS=/trial/authority.crt ${NODE_COMPILE_CACHE:+NODE_COMPILE_CACHE=/trial/compiled} TEST_TIER="${TEST_TIER:-change}" SHIPPED_SETTINGS="${SHIPPED_SETTINGS:-}" \
  chroot $root sh -c 'cd /opt/unsaid && exec "$@"' sh "$@"
