/**
 * A machine of Debian 13 boots with user data of the profile `debian-13`, and its real kubelet
 * joins the stack. What runs is Debian's own systemd as process 1, Debian's cloud-init with the
 * datasource NoCloud, our setup with curl and tar, containerd, and a kubelet of the version of the
 * stack. Programs come from a server of this test, which is `downloads.source`, by digests of the
 * config.
 *
 * What does not: a kernel of its own, so that modprobe, sysctl and swapoff are stand-ins that note
 * what they are asked for; a package manager, as the root file system has the packages; crictl,
 * which nothing calls; pods, for which there is no network, and where cgroups are of version 1 no
 * controller: `beforeJoin` takes cgroups and iptables out of the kubelet's configuration.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  deleteBootstrapToken,
  ensureBootstrapToken,
  readBootstrapToken,
  tokenIdOf,
} from '../../../activities/machine/bootstrap-token.ts';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { preparedDebian } from '../../../deploy/local/prepare/debian.ts';
import { versions } from '../../../deploy/local/versions.ts';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import type { UserDataConfig } from '../../../userdata/config.ts';
import { builtInProfile } from '../../../userdata/profiles.ts';
import { poolFaults, render } from '../../../userdata/render.ts';
import { eventually } from '../../support/eventually.ts';
import { listening } from '../../support/listening.ts';
import { freePort } from '../../support/mcm-processes.ts';
import {
  bootDebian,
  standInLog,
  type DebianMachine,
} from '../../support/user-data/debian-machine.ts';
import type { NodeObject } from '../support/cluster.ts';
import { useScenario } from '../support/scenario.ts';
import { certificatesAskedFor, stackConfig } from '../support/user-data.ts';

const scenario = useScenario('real-run');

/** By path below the server, as publishers have it. */
type Published = Record<string, string>;

const programs = {
  kubelet: versions.kubernetes,
  containerd: versions.containerd,
  runc: '1.4.3',
  'cni-plugins': '1.9.1',
  crictl: '1.35.0',
} as const;

/** Files of the machine's programs; archives are made as publishers make them. */
async function publish(folder: string): Promise<Published> {
  const root = await preparedDebian('debian-root');
  const archive = async (name: string, from: string, entry: string): Promise<string> => {
    const file = join(folder, name);
    await runProgram('tar', [
      '--create',
      '--use-compress-program=gzip -1',
      '--file',
      file,
      '--directory',
      from,
      entry,
    ]);
    return file;
  };
  await mkdir(join(folder, 'bin'));
  await cp(await preparedBinary('containerd'), join(folder, 'bin/containerd'));
  await writeFile(join(folder, 'crictl'), '#!/bin/sh\n', { mode: 0o755 });
  const { kubelet, containerd, runc, crictl, 'cni-plugins': cni } = programs;
  const github = 'github.com';
  return {
    [`dl.k8s.io/release/v${kubelet}/bin/linux/amd64/kubelet`]: await preparedBinary('kubelet'),
    [`${github}/containerd/containerd/releases/download/v${containerd}/containerd-static-${containerd}-linux-amd64.tar.gz`]:
      await archive('containerd.tgz', folder, 'bin'),
    [`${github}/opencontainers/runc/releases/download/v${runc}/runc.amd64`]: join(
      root,
      'usr/sbin/runc',
    ),
    [`${github}/containernetworking/plugins/releases/download/v${cni}/cni-plugins-linux-amd64-v${cni}.tgz`]:
      await archive('cni.tgz', join(root, 'usr/lib/cni'), '.'),
    [`${github}/kubernetes-sigs/cri-tools/releases/download/v${crictl}/crictl-v${crictl}-linux-amd64.tar.gz`]:
      await archive('crictl.tgz', folder, 'crictl'),
  };
}

/** Of all published files, as the config wants them. In the order of `programs`. */
async function digestsOf(published: Published) {
  const files = Object.values(published);
  const entries = Object.entries(programs).map(async ([name, version], index) => {
    const content = await readFile(files[index] ?? '');
    const digest = createHash('sha256').update(content).digest('hex');
    return [name, { [version]: { amd64: digest, arm64: digest } }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Without a package manager, and with a kubelet that leaves the kernel alone. */
async function configFor(source: string, published: Published): Promise<UserDataConfig> {
  const config: UserDataConfig = parse(await stackConfig(scenario));
  const settings = [
    'cgroupsPerQOS: false',
    'enforceNodeAllocatable: []',
    'makeIPTablesUtilChains: false',
    'address: 127.0.0.1',
    'healthzPort: 0',
    `port: ${await freePort()}`,
  ];
  const file = '/etc/kubernetes/kubelet.yaml';
  const command = `grep -q cgroupsPerQOS ${file} || printf '%s\\n' ${settings.map((line) => `'${line}'`).join(' ')} >>${file}`;
  return {
    ...config,
    containerRuntime: { version: programs.containerd },
    packages: { install: false },
    downloads: { source, digests: await digestsOf(published) },
    commands: { beforeJoin: [command], afterJoin: ['echo joined >/run/joined'] },
    node: { labels: { rack: '7' }, taints: [{ key: 'real', effect: 'NoSchedule' }] },
  };
}

async function said(machine: DebianMachine): Promise<string> {
  const journal = ['--no-pager', '--lines=60', '--output=cat'];
  const units = ['millwright-setup', 'kubelet', 'containerd', 'cloud-final'];
  return await machine.run('journalctl', ...journal, ...units.map((unit) => `--unit=${unit}`));
}

const isRoot = process.getuid?.() === 0;
const title = isRoot
  ? 'a bare Debian boots with its user data and becomes a Node'
  : 'a bare Debian boots with its user data: only root can, who may mount and unshare';

/** As the core calls the Machine whose token it makes. */
function machineReference() {
  const { namespace, name } = scenario.named('bare');
  return { namespace, name, uid: name };
}

/** Millwright deletes a Node and a token with their Machine, which this one has not. */
async function forget(): Promise<void> {
  const { kube } = scenario.cluster;
  const machine = machineReference();
  await ignoreNotFound(kube.delete(nodePath(machine.name)));
  await deleteBootstrapToken(kube, tokenIdOf(machine.uid, 0), machine);
}

(isRoot ? test : test.skip)(title, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-published-'));
  const published = await publish(folder);
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').slice(1);
    asked.push(path);
    const file = published[path];
    response.statusCode = file === undefined ? 404 : 200;
    if (file === undefined) response.end();
    else createReadStream(file).pipe(response);
  });
  await using publisher = await listening(server);
  const { kube } = scenario.cluster;
  const reference = machineReference();
  const { name } = reference;
  const id = await ensureBootstrapToken(kube, {
    machine: reference,
    lifetimeSeconds: 3600,
    authExtraGroups: 'system:bootstrappers:kubeadm:default-node-token',
  });
  const { text: bootstrapToken } = await readBootstrapToken(kube, id);
  const profile = builtInProfile('debian-13');
  if (!profile) throw new Error('there is no profile debian-13');
  const config = await configFor(publisher.url, published);
  const input = { profile, config, provider: 'virtual' };
  expect(poolFaults(input)).toEqual([]);
  const { text } = render(input, { machineName: name, bootstrapToken, secrets: {} });
  // Once the machine is off, and before the scenario looks at what is left.
  await using left = new AsyncDisposableStack();
  left.defer(forget);
  await using machine = await bootDebian(text);
  try {
    const node = await eventually('its Node appears', () => kube.get<NodeObject>(nodePath(name)));
    expect(node.metadata.labels).toMatchObject({ rack: '7', 'kubernetes.io/hostname': name });
    expect(node.spec?.taints).toContainEqual({ key: 'real', effect: 'NoSchedule' });
    await eventually('setup is at its end', () => machine.read('/opt/millwright/done'));
    await eventually('both certificates are asked for', async () => {
      const subject = `O=system:nodes, CN=system:node:${name}`;
      expect(await certificatesAskedFor(scenario, name)).toMatchObject([
        {
          by: `system:bootstrap:${id}`,
          signer: 'kubernetes.io/kube-apiserver-client-kubelet',
          subject,
          hosts: [],
        },
        { by: `system:node:${name}`, signer: 'kubernetes.io/kubelet-serving', subject },
      ]);
    });
    await expect(machine.read('/etc/kubernetes/bootstrap-kubelet.conf')).rejects.toThrow('ENOENT');
    expect(await machine.run('cat', '/run/joined')).toBe('joined\n');
    expect(await machine.run('systemctl', 'is-active', 'kubelet', 'containerd')).toBe(
      'active\nactive\n',
    );
    expect(await machine.run('hostname')).toBe(`${name}\n`);
    expect(await machine.read(standInLog)).toBe(
      [
        'swapoff --all',
        'modprobe --all overlay br_netfilter',
        'sysctl --quiet --load=/etc/sysctl.d/99-millwright.conf',
        '',
      ].join('\n'),
    );
    expect(asked.toSorted()).toEqual(Object.keys(published).toSorted());
  } catch (error) {
    throw new Error(`the machine says:\n${await said(machine)}`, { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
