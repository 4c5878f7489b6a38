/**
 * Each profile with clouds that it is for and options, in rows in which each cloud meets each level
 * of an option, and every two levels of two options meet, is judged by the programs that read such
 * text on a machine: cloud-init's schema and `ignition-validate`, `systemd-analyze verify`, bash
 * and ShellCheck, the kubelet and containerd.
 */
import { builtInProviders } from '../../../activities/drivers/providers.ts';
import { builtInProfile, profileNames } from '../../../userdata/profiles.ts';
import type { Profile } from '../../../userdata/profile.ts';
import { poolFaults, render } from '../../../userdata/render.ts';
import { secretsNamedIn } from '../../../userdata/secrets.ts';
import {
  configOf,
  levelsFor,
  optionNames,
  options,
} from '../../support/user-data/config-options.ts';
import { contentsOf, unitFolder } from '../../support/user-data/contents.ts';
import {
  judges,
  unitVerdicts,
  type JudgeName,
  type Verdict,
} from '../../support/user-data/judges.ts';
import { pairwise } from '../../support/user-data/pairwise.ts';

const profiles = profileNames().flatMap((name) => builtInProfile(name) ?? []);
const secret = `s3cr'et "$x" \\ %n`;

/** Texts by who judges them, each with what first had it, such as `rhel-9 AWS proxy=all`. */
const texts = new Map<JudgeName, Map<string, string>>();
const machines = new Map<string, { of: string; units: Record<string, string> }>();
/** Rows that make no right config although each of their levels does. */
const refused: string[] = [];
/** `OPTION=LEVEL`, as rendered for some profile. */
const seen = new Set<string>();
const programs = new Set(['/bin/bash']);

function note(judge: JudgeName, text: string, of: string): void {
  const known = texts.get(judge) ?? new Map<string, string>();
  texts.set(judge, known);
  if (!known.has(text)) known.set(text, of);
}

function noteFile(path: string, text: string, of: string): void {
  if (text.startsWith('#!/bin/bash') || /^\/opt\/millwright\/(before|after)-join$/.test(path)) {
    note('bash -n', text, of);
    note('shellcheck', text, of);
  }
  if (path.endsWith('.toml')) note('toml', text, of);
  if (path === '/etc/containerd/config.toml') note('containerd', text, of);
  if (text.includes('kind: KubeletConfiguration')) note('kubelet', text, of);
}

beforeAll(async () => {
  for (const profile of profiles) {
    programs.add(`${profile.programs ?? '/usr/local/bin'}/kubelet`);
    programs.add(`${profile.programs ?? '/usr/local/bin'}/containerd`);
    const providers = profile.providers ?? builtInProviders;
    for (const row of pairwise({ provider: providers, ...levelsFor(profile, providers) })) {
      const { provider = '' } = row;
      const config = allowedConfig(profile, provider, row);
      if (!config) continue;
      const names = secretsNamedIn(config);
      const data = { username: secret, password: secret, token: secret, key: secret };
      const values = {
        machineName: 'pool-a-7x2kq',
        bootstrapToken: 'abcdef.0123456789abcdef',
        secrets: Object.fromEntries(names.map((name) => [name, data])),
      };
      const rendered = render({ profile, provider, config }, values);
      const levels = optionNames.filter((option) => row[option] !== 'none');
      const said = levels.map((option) => `${option}=${row[option]}`);
      for (const one of said) seen.add(one);
      const of = [profile.name, provider, ...said].join(' ');
      const carrier = rendered.format === 'ignition' ? 'ignition-validate' : 'cloud-init schema';
      note(carrier, rendered.text, of);
      const files = await contentsOf(rendered);
      for (const [path, text] of Object.entries(files)) noteFile(path, text, of);
      const units = Object.entries(files).filter(([path]) => path.startsWith(unitFolder));
      machines.set(JSON.stringify(units), { of, units: Object.fromEntries(units) });
    }
  }
});

/** Undefined: it is among those refused. The rule of a cloud for names of Nodes goes before. */
function allowedConfig(profile: Profile, provider: string, row: Readonly<Record<string, string>>) {
  const config = configOf(row);
  if (poolFaults({ profile, provider, config }).length === 0) return config;
  const unnamed = configOf({ ...row, nodeName: 'none' });
  const faults = poolFaults({ profile, provider, config: unnamed });
  refused.push(...faults);
  return faults.length === 0 ? unnamed : undefined;
}

function faultsOf(verdicts: readonly Verdict[], names: readonly string[]): string[] {
  return verdicts.flatMap((verdict, index) => (verdict ? [`${names[index]}: ${verdict}`] : []));
}

test('every level of every option is allowed somewhere', () => {
  const wanted = optionNames.flatMap((option) =>
    Object.keys(options[option])
      .filter((level) => level !== 'none')
      .map((level) => `${option}=${level}`),
  );
  expect(refused).toEqual([]);
  expect([...seen].toSorted()).toEqual(wanted.toSorted());
});

const judgeNames = Object.keys(judges).filter((name): name is JudgeName => name in judges);

describe.each(judgeNames)('%s', (name) => {
  test('finds nothing wrong', async () => {
    const judged = texts.get(name) ?? new Map<string, string>();
    expect(judged.size).toBeGreaterThan(0);
    const verdicts = await judges[name]([...judged.keys()]);
    expect(faultsOf(verdicts, [...judged.values()])).toEqual([]);
  });

  test.each(broken(name))('refuses %j', async (text) => {
    await expect(judges[name]([text])).resolves.toEqual([expect.any(String)]);
  });
});

/** Each is right but for one thing. */
function broken(name: JudgeName): string[] {
  const kubelet = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
  const ofJudge: Record<JudgeName, string[]> = {
    'cloud-init schema': [
      // Its schema takes keys of the top that it does not know.
      '#cloud-config\nwrite_files:\n  - path: /a\n    permissons: "0644"\n',
      '#cloud-config\nruncmd: echo\n',
      '#cloud-config\nruncmd: [\n',
      'hostname: a\n',
    ],
    'ignition-validate': [
      '{"ignition":{}}',
      '{"ignition":{"version":"3.3.0"},"storage":{"files":[{"path":"a"}]}}',
      '{"ignition":{"version":"3.3.0"},"systemd":{"units":[{"name":"a.service","enabeld":true}]}}',
    ],
    'bash -n': ['#!/bin/bash\nif true; then\n'],
    shellcheck: ['#!/bin/bash\nrm -rf $1\n'],
    toml: ['a = \n', 'a = "\\q"\n'],
    kubelet: [`${kubelet}maxPodz: 1\n`, `${kubelet}maxPods: -1\n`, `${kubelet}maxPods: "many"\n`],
    containerd: [
      'version = 3\n[plugins."io.containerd.cri.v1.images"]\nsandbox_imaeg = "a"\n',
      'version = 3\n[\n',
    ],
  };
  return ofJudge[name];
}

describe('systemd-analyze verify', () => {
  test('finds nothing wrong', async () => {
    const judged = [...machines.values()];
    expect(judged.length).toBeGreaterThan(0);
    const verdicts = await unitVerdicts(
      judged.map(({ units }) => units),
      [...programs],
    );
    expect(
      faultsOf(
        verdicts,
        judged.map(({ of }) => of),
      ),
    ).toEqual([]);
  });

  test.each([
    '[Service]\nExecStart=/bin/none\n',
    '[Service]\nExecStart=/bin/bash\nRestrat=always\n',
    '[Unit]\nAfter=\n',
  ])('refuses %j', async (text) => {
    const verdicts = await unitVerdicts([{ [`${unitFolder}a.service`]: text }], ['/bin/bash']);
    expect(verdicts).toEqual([expect.any(String)]);
  });
});
