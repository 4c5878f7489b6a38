/** docs/flags.md, made of the flag tables. */
import { type Flag, groups, processesOf } from '../../../workers/config/flags/flag.ts';
import { type FlagName, flagNames, flagOf } from '../../../workers/config/flags/table.ts';

const introduction = `# Flags

All processes, \`npm run watcher\`, \`npm run worker\` and \`npm run front\`, accept every flag of both binaries of MCM
v0.62.1, so that its command lines need no change. A flag has the same meaning as there unless its line says otherwise. A process names
each flag that has no effect in its log once, with the reason. When flags are unknown or values are not allowed, the
process prints all errors and ends with exit code 2.

Flags are written as for MCM: \`--flag=value\` or \`--flag value\`; for booleans \`--flag\` or \`--flag=false\`. One dash
is as good as two, \`_\` as good as \`-\` inside a name, and the last one wins. Durations are written as in Go: \`90s\`,
\`20m\`, \`1h30m\`.

Some defaults are others under a name of MCM: where the watcher was started as \`machine-controller-manager\`, or the
worker as \`machine-controller\`, by the scripts of these names in the image. They fit how Gardener runs MCM.

There is no configuration file. These variables are read:

- \`TEMPORAL_ADDRESS\`, \`TEMPORAL_NAMESPACE\`, \`TEMPORAL_API_KEY\`, \`TEMPORAL_TLS\`, \`TEMPORAL_TLS_*\`,
  \`TEMPORAL_GRPC_META_*\`, \`TEMPORAL_CONFIG_FILE\`, \`TEMPORAL_PROFILE\`: as for the command \`temporal\`. Flags
  override variables, variables override the profile. An API key turns TLS on.
- \`TEMPORAL_API_KEY_PATH\`: a file with the API key, in the place of \`TEMPORAL_API_KEY\`. When this file changes, that
  of \`TEMPORAL_CONFIG_FILE\`, a certificate or key of TLS, the file of \`--payload-keys\`, or a kubeconfig that a flag
  names, the process ends with exit code 0 within 70 seconds, to be started again.
- \`MILLWRIGHT_FLAGS\`: flags, separated by blanks. They come before those of the command line, which win. It is for
  places where others write the command line, such as [Gardener](gardener.md).
- \`KUBECONFIG\`: used where neither \`--target-kubeconfig\` nor \`--control-kubeconfig\` is given.
- \`MILLWRIGHT_VIRTUAL_CLOUD\`, default \`http://127.0.0.1:7080\`: the virtual cloud of the local stack, for machines of
  the provider \`virtual\`; with \`MILLWRIGHT_VIRTUAL_CLOUD_AS_LOCAL=true\` of the provider \`local\` as well.
- \`OTEL_*\`: where [traces](tracing.md) go.
- For clouds: \`AWS_ENDPOINT_URL_EC2\`, \`AWS_ENDPOINT_URL_STS\`, \`MILLWRIGHT_GCP_ENDPOINT\`,
  \`MILLWRIGHT_AZURE_ENDPOINT\` and others where they are not the public ones; \`MILLWRIGHT_TOKEN_DIRECTORY\`, the folder
  with the token files of workload identities. The pages of the [clouds](clouds/README.md) list all of them.

The HTTP port is plain and without authentication, like that of MCM. \`/healthz\` answers \`OK\` (200) until the process
ends, then \`Unhealthy\` (500); so does a watcher under the name of MCM's binary while none has led for 5 minutes.
\`/readyz\` answers 503 with the reason [while the process does not work](install.md#probes). \`/metrics\` has the
metrics of the process, those of Millwright, and in the worker those of the Temporal SDK (\`temporal_*\`). \`/configz\` is
an empty object. Any other path is answered with 404.

A test compares this page with the flag tables in \`workers/\`. To write it again:
\`UPDATE_GOLDEN=1 npm test -- --only unit --pattern test/workers\`.
`;

export function flagsPage(): string {
  const sections = groups.map((group) => {
    const names = flagNames.filter((name) => flagOf(name).group === group);
    return `## ${group}\n\n${names.map(lineOf).join('\n')}\n`;
  });
  return [introduction, ...sections].join('\n');
}

function lineOf(name: FlagName): string {
  const flag = flagOf(name);
  const value = flag.kind.placeholder === '' ? '' : ` ${flag.kind.placeholder}`;
  const notes = [
    `default ${defaultIn(flag)}`,
    flag.noop === undefined ? usersOf(flag) : 'no effect',
    ...(flag.ours ? ['not in MCM'] : []),
  ];
  const why = flag.noop === undefined ? '' : ` No effect: ${flag.noop}`;
  return wrapped(`- \`--${name}${value}\` (${notes.join('; ')}): ${flag.says}${why}`);
}

function usersOf({ only }: Flag<unknown>): string {
  return only === undefined ? 'all processes' : processesOf(only).join(' and ');
}

const longestLine = 112;

/** An item of a list, so that a changed word is a changed line, and not a changed paragraph. */
function wrapped(item: string): string {
  const lines: string[] = [];
  let line = '';
  // Code in backticks stays on one line.
  for (const word of item.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    if (line !== '' && line.length + 1 + word.length > longestLine) {
      lines.push(line);
      line = ` `;
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}

function defaultIn({ default: given, defaultAsMcm }: Flag<unknown>): string {
  const asMcm = defaultAsMcm === undefined ? '' : `, under a name of MCM ${quoted(defaultAsMcm)}`;
  if (typeof given === 'string') return quoted(given) + asMcm;
  return Object.entries(given)
    .map(([component, text]) => `${quoted(text)} in the ${component}`)
    .join(', ');
}

const quoted = (text: string): string => (text === '' ? 'empty' : `\`${text}\``);
