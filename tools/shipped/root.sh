#!/usr/bin/env bash
# Makes the root of a machine or a container in FOLDER, an empty mount point: the programs of this system, read-only, a copy of
# its /etc, and nothing else of it.
#   root.sh FOLDER
set -euo pipefail
root=$1
mkdir -p "$root"/{dev,etc,home,opt,proc,root,run/lock,srv,sys,tmp,usr,var/cache,var/lib,var/log,var/tmp}
chmod 1777 "$root"/{tmp,var/tmp,run/lock} && chmod 700 "$root/root"
ln -s /run "$root/var/run"
for folder in /bin /sbin /lib*; do
  if [ -L "$folder" ]; then cp -a "$folder" "$root/"; else mkdir "$root$folder" && mount --rbind "$folder" "$root$folder"; fi
done
mount --rbind /usr "$root/usr" && mount -o remount,bind,ro "$root/usr"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount -t proc proc "$root/proc"
cp -a /etc/. "$root/etc"
