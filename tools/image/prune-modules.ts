/** Takes out of a `node_modules` folder what the processes never load. */
import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

interface PruneRule {
  /** Which paths below the folder go; `/` between names. */
  pattern: RegExp;
  /** Why nothing loads it. */
  reason: string;
}

/** The folder of Temporal's native part for Linux with glibc, by the name that Node has for it. */
const bridges = {
  x64: 'x86_64-unknown-linux-gnu',
  arm64: 'aarch64-unknown-linux-gnu',
} as const;
export type Architecture = keyof typeof bridges;

const everywhere: readonly PruneRule[] = [
  { pattern: /\.[cm]?ts$/, reason: 'types, and sources that are there as JavaScript too' },
  { pattern: /\.map$/, reason: 'for debuggers; Node reads them only with --enable-source-maps' },
  {
    pattern: /(?:^|\/)(?!licen[cs]e|notice|copying)[^/]*\.(?:md|markdown)$/i,
    reason: 'documentation',
  },
  { pattern: /\.(?:rs|toml|puml|bare|tsbuildinfo)$/, reason: 'sources of other languages' },
  {
    pattern: /^@google-cloud\/compute\/build\/protos\/(?:protos\.js$|google\/)/,
    reason: "only the package's index loads them; activities/drivers/gcp imports single clients",
  },
  {
    pattern: /^@azure\/[^/]+\/dist\/(?:browser|react-native)\//,
    reason: 'for other runtimes than Node',
  },
  {
    pattern: /^@azure\/arm-[^/]+\/dist\/commonjs\//,
    reason: 'activities/drivers/azure imports the ECMAScript modules',
  },
  {
    pattern: /^@azure\/msal-browser\//,
    reason: 'for browsers; @azure/identity loads @azure/msal-node',
  },
  { pattern: /^\.bin\//, reason: 'commands, which nothing starts' },
];

function rulesFor(architecture: Architecture): readonly PruneRule[] {
  const others = new RegExp(`^@temporalio/core-bridge/releases/(?!${bridges[architecture]}/)`);
  return [...everywhere, { pattern: others, reason: 'for other platforms' }];
}

/** Also removes the folders that are empty then. */
export async function prune(folder: string, architecture: Architecture): Promise<void> {
  const rules = rulesFor(architecture);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((found) => !found.isDirectory())) {
    const path = join(entry.parentPath, entry.name);
    // Packages that lie in another package follow the same rules.
    const inside = path.slice(folder.length + 1).replace(/^.*\/node_modules\//, '');
    if (rules.some(({ pattern }) => pattern.test(inside))) await rm(path);
  }
  const folders = entries.filter((found) => found.isDirectory());
  const deepestFirst = folders
    .map((found) => join(found.parentPath, found.name))
    .toSorted((a, b) => b.length - a.length);
  for (const path of deepestFirst) if ((await readdir(path)).length === 0) await rmdir(path);
}
