#!/bin/bash
# Starts systemd of a root file system as process 1 of namespaces of its own: boot.sh LOWER FOLDER.
# What the machine writes is kept in FOLDER/disk. It has the network of this machine without the
# right to change it, and reads settings of the kernel, which are not its own, as the kubelet wants
# them.
set -euo pipefail
lower=$1 folder=$2
mkdir -p "$folder/work" "$folder/root"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$folder/disk,workdir=$folder/work" "$folder/root"
cd "$folder/root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs run
mkdir -p var/lib/containerd
# An overlay cannot lie on another.
mount -t tmpfs tmpfs var/lib/containerd
mount -t tmpfs tmpfs dev
for name in null zero full random urandom tty kmsg; do
  touch "dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
touch dev/console
mount --bind /dev/null dev/console
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount --bind proc/sys proc/sys
mount -o remount,ro,bind proc/sys
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 \
  kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
  file=$folder/work/${setting//\//-}
  echo "${setting#*=}" >"$file"
  mount --bind "$file" "proc/sys/${setting%=*}"
done
export container=other
exec setpriv --bounding-set=-net_admin,-sys_time,-sys_module,-sys_boot \
  chroot . /lib/systemd/systemd --log-target=journal
