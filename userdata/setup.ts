/** The script that makes a Node of a machine, and the unit that runs it. */
import type { Profile } from './profile.ts';
import { kernelModules, sysctlPath } from './kernel.ts';
import { askedOf, clientCertificatePath, askedPath } from './kubelet.ts';
import { bootstrapKubeconfigPath } from './join.ts';
import type { Download, MachineFile, MachineUnit } from './machine-document.ts';
import { downloadsOf, programsFolder } from './programs.ts';
import { shellWord } from './quoting.ts';
import type { MachineValues, UserDataInput } from './input.ts';
import { secretText } from './secrets.ts';

const folder = '/opt/millwright';
const activationKeyPath = `${folder}/activation-key`;

/** Ran to its end: not again at the next boot. */
const donePath = `${folder}/done`;

/**
 * A service that ends: units of `Type=oneshot` may not restart before systemd 244, and Amazon
 * Linux 2 has 219. The pause between two attempts grows in the script.
 */
export const setupUnit: MachineUnit = {
  name: 'millwright-setup.service',
  isEnabled: true,
  content: `[Unit]
Description=Makes this machine a Node
Wants=network-online.target
After=network-online.target
ConditionPathExists=!${donePath}
[Service]
ExecStart=/bin/bash ${folder}/setup
Restart=on-failure
RestartSec=5
StandardOutput=journal+console
[Install]
WantedBy=multi-user.target
`,
};

export function setupFiles(input: UserDataInput, values: MachineValues): MachineFile[] {
  const { beforeJoin, afterJoin } = commandsOf(input);
  const key = input.config.operatingSystem?.subscription?.activationKey;
  const files = {
    [`${folder}/setup`]: setupScript(input),
    ...(beforeJoin.length > 0 && { [`${folder}/before-join`]: `${beforeJoin.join('\n')}\n` }),
    ...(afterJoin.length > 0 && { [`${folder}/after-join`]: `${afterJoin.join('\n')}\n` }),
    ...(key && { [activationKeyPath]: secretText(values, key.name, key.key) }),
  };
  return Object.entries(files).map(([path, content]) => ({ path, permissions: '0600', content }));
}

function commandsOf({ profile, config }: UserDataInput) {
  const both = [profile.commands, config.commands];
  return {
    beforeJoin: both.flatMap((commands) => commands?.beforeJoin ?? []),
    afterJoin: both.flatMap((commands) => commands?.afterJoin ?? []),
  };
}

export function packagesOf({ profile, config }: UserDataInput): string[] {
  if (config.packages?.install === false) return [];
  return [...new Set([...(profile.packages ?? []), ...(config.packages?.extra ?? [])])];
}

/** bash. Each step may run again, after a failure of it or of a later one. */
function setupScript(input: UserDataInput): string {
  const { beforeJoin, afterJoin } = commandsOf(input);
  const steps = [
    opening(programsFolder(input.profile)),
    ...disabledUnits(input),
    ...swap(input),
    ...seLinux(input.profile),
    ...subscription(input),
    ...run('beforeJoin', beforeJoin),
    ...upgrade(input),
    ...packages(input),
    downloads(input),
    kernel(input),
    ...askCloud(input),
    join,
    ...run('afterJoin', afterJoin),
    ending,
  ];
  return `${steps.join('\n')}\n`;
}

const opening = (programs: string): string => `#!/bin/bash
set -Eeuo pipefail
programs=${shellWord(programs)}
downloads=${folder}/downloads
export DEBIAN_FRONTEND=noninteractive ZYPP_LOCK_TIMEOUT=300
say() { echo "millwright: $*"; }
step() { now=$*; say "$now"; }
trap 'say "failed (exit code $?): $now"' ERR
now=begin
read -r failed 2>/dev/null </run/millwright-attempts || failed=0
echo $((failed + 1)) >/run/millwright-attempts
if [ "$failed" -gt 0 ]; then
  say "attempt $((failed + 1))"
  sleep $((failed < 6 ? failed * 10 : 60))
fi
matches() { echo "$1  $2" | sha256sum --check --status 2>/dev/null; }
fetch() {
  file=$downloads/$4
  if matches "$4" "$file"; then return; fi
  step "fetch $1 $2 from $3"
  mkdir -p "$downloads"
  curl --fail --silent --show-error --location --retry 8 --connect-timeout 20 \\
    --speed-limit 1000 --speed-time 60 --output "$file.part" "$3"
  if ! matches "$4" "$file.part"; then
    step "the SHA-256 of $3 is not $4"
    rm "$file.part"
    return 1
  fi
  mv "$file.part" "$file"
}
binary() {
  if matches "$4" "$programs/$1"; then return; fi
  fetch "$@"
  install -D -m 0755 "$file" "$programs/$1"
}
archive() {
  fetch "\${@:3}"
  mkdir -p "$1"
  tar --extract --gzip --no-same-owner --strip-components="$2" --file "$file" --directory "$1"
}`;

function disabledUnits({ profile, config }: UserDataInput): string[] {
  const isUpdating = config.operatingSystem?.disableAutoUpdate === false;
  const units = [
    ...(profile.disabledUnits ?? []),
    ...(isUpdating ? [] : (profile.autoUpdateUnits ?? [])),
  ];
  if (units.length === 0) return [];
  return [
    `step 'disable units'
disable() {
  if systemctl cat "$1" >/dev/null 2>&1; then
    systemctl stop "$1"
    systemctl mask "$1"
  fi
}
${units.map((unit) => `disable ${shellWord(unit)}`).join('\n')}`,
  ];
}

function swap({ config }: UserDataInput): string[] {
  if (config.kubelet?.failSwapOn === false) return [];
  return ["step 'turn swap off'\nsystemctl mask swap.target\nswapoff --all"];
}

function seLinux({ seLinux: mode }: Profile): string[] {
  if (!mode) return [];
  return [
    `step 'SELinux: ${mode}'
if command -v getenforce >/dev/null && [ "$(getenforce)" != Disabled ]; then
  setenforce ${mode === 'enforcing' ? 1 : 0}
  sed --in-place 's/^SELINUX=.*/SELINUX=${mode}/' /etc/selinux/config
fi`,
  ];
}

function subscription({ config }: UserDataInput): string[] {
  const { organization } = config.operatingSystem?.subscription ?? {};
  if (organization === undefined) return [];
  return [
    `step 'register with Red Hat'
if ! subscription-manager identity >/dev/null 2>&1; then
  subscription-manager register --org=${shellWord(organization)} --activationkey="$(<${activationKeyPath})"
fi`,
  ];
}

/** In a bash of their own, so that nothing of the script is theirs. */
function run(name: 'beforeJoin' | 'afterJoin', commands: readonly string[]): string[] {
  if (commands.length === 0) return [];
  const file = name === 'beforeJoin' ? 'before-join' : 'after-join';
  return [`step 'commands.${name}'\nbash -e ${folder}/${file}`];
}

type Manager = Exclude<Profile['packageManager'], 'none'>;

// Files of the system that were changed stay, without a question.
const apt =
  'apt-get --quiet=2 --yes -o DPkg::Lock::Timeout=300 -o Acquire::Retries=5 -o Dpkg::Options::=--force-confold';
const managers: Readonly<Record<Manager, { upgrade: string; install: string }>> = {
  apt: {
    upgrade: `${apt} update\n${apt} dist-upgrade`,
    install: `${apt} update\n${apt} --no-install-recommends install`,
  },
  dnf: {
    upgrade: 'dnf --quiet --assumeyes --setopt=retries=10 upgrade',
    install: 'dnf --quiet --assumeyes --setopt=retries=10 install',
  },
  yum: {
    upgrade: 'yum --quiet --assumeyes --setopt=retries=10 update',
    install: 'yum --quiet --assumeyes --setopt=retries=10 install',
  },
  zypper: {
    upgrade: 'zypper --quiet --non-interactive update',
    install: 'zypper --quiet --non-interactive install --no-recommends',
  },
};

/** Once, and then it starts its new kernel. */
function upgrade({ profile, config }: UserDataInput): string[] {
  const { packageManager } = profile;
  if (packageManager === 'none' || !config.operatingSystem?.distUpgradeOnBoot) return [];
  return [
    `if [ ! -e ${folder}/upgraded ]; then
  step 'upgrade all packages, and restart'
  ${managers[packageManager].upgrade.replaceAll('\n', '\n  ')}
  touch ${folder}/upgraded
  systemctl reboot
  exit 0
fi`,
  ];
}

function packages(input: UserDataInput): string[] {
  const { packageManager } = input.profile;
  const names = packagesOf(input);
  if (packageManager === 'none' || names.length === 0) return [];
  return [`step 'install packages'\n${managers[packageManager].install} ${names.join(' ')}`];
}

function downloads(input: UserDataInput): string {
  const found = downloadsOf(input);
  const of = (architecture: Download['architecture']): string =>
    found
      .filter((one) => one.architecture === architecture)
      .map(downloadLine)
      .join('\n');
  return `case $(uname -m) in
x86_64)
${of('amd64')}
;;
aarch64)
${of('arm64')}
;;
*)
say "no programs are known for $(uname -m)"
exit 1
;;
esac
if command -v restorecon >/dev/null; then restorecon -R "$programs" /opt/cni/bin; fi`;
}

/** What is taken of each download, and where it goes. */
function downloadLine({ name, version, url, sha256 }: Download): string {
  const words = [name, version, url, sha256].map(shellWord).join(' ');
  if (name === 'cni-plugins') return `archive /opt/cni/bin 0 ${words}`;
  if (name === 'crictl') return `archive "$programs" 0 ${words}`;
  // Its programs lie in bin/.
  if (name === 'containerd') return `archive "$programs" 1 ${words}`;
  return `binary ${words}`;
}

function kernel(input: UserDataInput): string {
  return `step 'set up the kernel'
modprobe --all ${kernelModules(input).map(shellWord).join(' ')}
sysctl --quiet --load=${sysctlPath}`;
}

function askCloud(input: UserDataInput): string[] {
  const asked = askedOf(input);
  if (asked.length === 0) return [];
  const questions = asked.map(
    ({ what, variable, bash }) => `step 'ask the cloud for ${what}'
${bash}
say "it is $answer"
echo "${variable}=$answer" >>${askedPath}`,
  );
  return [`: >${askedPath}`, ...questions];
}

const join = `step 'start containerd and the kubelet'
systemctl daemon-reload
systemctl enable containerd.service kubelet.service
systemctl restart containerd.service kubelet.service
step 'wait for the certificate of the kubelet'
deadline=$((SECONDS + 300))
until [ -s ${clientCertificatePath} ]; do
  if [ "$SECONDS" -gt "$deadline" ]; then
    say 'the kubelet has no certificate after 300 seconds; its journal ends with'
    journalctl --no-pager --lines=10 --unit=kubelet.service
    exit 1
  fi
  sleep 2
done`;

const ending = `rm -rf "$downloads" ${bootstrapKubeconfigPath} ${activationKeyPath}
touch ${donePath}
say 'done: the kubelet has its certificate'`;
