/** Which set a template has (MCM 7.2). */
import type { JudgedObject } from './objects.ts';

const restart = 'millwright.dev/restart';

/** What is pushed down to machines that exist makes no other template; a restart does. */
export function isOfTemplate(set: JudgedObject, deployment: JudgedObject): boolean {
  const asked = restartOf(deployment);
  const isOfRestart = asked === undefined || asked === restartOf(set);
  return isOfRestart && markOf(set) === markOf(deployment);
}

function restartOf({ metadata }: JudgedObject): string | undefined {
  return metadata.annotations?.[restart];
}

function markOf({ spec }: JudgedObject): string {
  const { metadata: { labels = {}, annotations = {} } = {}, spec: machine = {} } =
    spec?.template ?? {};
  const { ['machine-template-hash']: _hash, ...own } = labels;
  const { name, apiGroup } = machine.class ?? {};
  return JSON.stringify([name, apiGroup ?? '', sorted(own), sorted(annotations)]);
}

function sorted(entries: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
