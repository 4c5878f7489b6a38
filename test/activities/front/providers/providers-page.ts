/** docs/kubermatic-providers.md, made of the tables of providers. */
import { providerTables } from '../../../../activities/front/providers/index.ts';
import type { ProviderTable, Row } from '../../../../activities/front/providers/table.ts';
import { translate } from '../../../../activities/front/providers/translate.ts';

const introduction = `# Providers of \`cluster.k8s.io\`

What the front makes of a \`cloudProviderSpec\`, for each \`cloudProvider\` that it knows. A MachineDeployment with
another one, or with \`external\`, is not served. Start with an [example](../deploy/examples/kubermatic); a test runs
each against what plays its cloud. The [clouds](clouds/README.md) have the rights that credentials need.

The condition \`Translated\` of a MachineDeployment says the same of its template, with the values. A field that is
refused, missing or not known keeps the whole template from being used, and so does a value that cannot be said; a
field without effect keeps nothing. No cloud is asked for a default: what machine-controller would ask for has to be written. Where a variable stands behind a field,
an empty field takes its value from the environment of the front.

## Taking over

- The instance of a Machine is the one that \`spec.providerID\` names, else \`spec.providerID\` of its Node.
- An instance of machine-controller is known by its mark and by the name of its Machine together. It gets no tags of
  ours, so lists of the driver do not show it: it is never an orphan, and is not found once its Machine is gone.
- \`azure\`: network interface and disks go with their virtual machine; a public address stays.
- \`digitalocean\`, \`hetzner\`: without \`sshKeys\`, which machine-controller refuses, or \`DO_SSH_KEYS\` and
  \`HZ_SSH_KEYS\` of the front, new machines have no key of the cloud, and the cloud mails a password for each.
- \`kubevirt\`: the mark is the label \`kubermatic.k8c.io/cluster-id\`, which comes of \`clusterName\`.
- \`openstack\`: a floating IP of machine-controller stays when its server goes.
- \`vsphere\`: the mark is the folder. \`NAME/cloud-init.iso\` stays on the datastore when its machine goes.

A test compares this page with the tables in \`activities/front/providers/\`. To write it again:
\`UPDATE_GOLDEN=1 npm test -- --only unit --pattern providers-page\`.
`;

const pool = {
  namespace: 'kube-system',
  name: 'workers',
  cluster: 'example',
  operatingSystem: 'ubuntu',
  sshPublicKeys: [],
};

export function providersPage(): string {
  const tables = Object.values(providerTables).filter(({ provider }) => provider !== 'virtual');
  return [introduction, ...tables.map(sectionOf)].join('\n');
}

function sectionOf(table: ProviderTable): string {
  const { cloudProvider, provider, rows, findsInstanceBy } = table;
  const required = requiredBy(table);
  const filled = rows.filter(({ theirs, env }) => env !== undefined && !required.has(theirs));
  const refused = rows.flatMap((row) => ('refused' in row ? [[row.theirs, row.refused]] : []));
  const ignored = rows.flatMap((row) => ('ignored' in row ? [[row.theirs, row.ignored]] : []));
  const mark = 'tag' in findsInstanceBy ? findsInstanceBy.tag : 'see above';
  return [
    `## ${cloudProvider}\n`,
    `- Makes classes of \`provider: ${provider}\`. Mark of an instance: ${mark}.`,
    ...listed('Required', [...required.keys()], rows),
    ...reasons(
      'Required',
      [...required].filter(([, reason]) => !/^write(?!.*: )/.test(reason)),
    ),
    ...listed(
      'Also from variables',
      filled.filter((row) => 'ours' in row || 'secret' in row).map(({ theirs }) => theirs),
      rows,
    ),
    ...reasons('Refused', refused),
    ...reasons('Without effect', ignored),
    '',
  ].join('\n');
}

/** Field -> what to write, as an empty spec is answered. */
function requiredBy(table: ProviderTable): Map<string, string> {
  const { faults } = translate(table, {}, { pool, env: {} });
  return new Map(
    faults.flatMap((fault): [string, string][] => {
      const [, field, reason] = /^cloudProviderSpec\.(\S+) is missing: (.*)$/.exec(fault) ?? [];
      return field !== undefined && reason !== undefined ? [[field, reason]] : [];
    }),
  );
}

function listed(title: string, names: readonly string[], rows: readonly Row[]): string[] {
  const entries = [...new Set(names)].map((name) => {
    const variables = rows.flatMap(({ theirs, env }) => (theirs === name && env ? [env] : []));
    const words = variables.map((variable) => `\`${variable}\``).join(', ');
    return `\`${name}\`${words && ` (${words})`}`;
  });
  return entries.length === 0 ? [] : [`- ${title}: ${entries.join(', ')}.`];
}

/** Fields of one reason stand together. */
function reasons(title: string, rows: readonly (readonly string[])[]): string[] {
  const byReason = Map.groupBy(rows, ([, reason]) => reason);
  return [...byReason].map(([reason, fields]) => {
    const names = fields.map(([name]) => `\`${name}\``).join(', ');
    return `- ${title}: ${names}: ${reason}.`;
  });
}
