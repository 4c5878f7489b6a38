/** What Temporal Cloud would bill, by the server's own counter. */
import { layoutOf } from '../../deploy/local/layout.ts';
import { host } from '../../deploy/local/supervision/ports.ts';
import { readPorts } from '../../deploy/local/supervision/stack-file.ts';

/** Kind of action, such as `command_StartTimer` -> how many. */
export type Actions = Record<string, number>;

const counter = /^action\{([^}]*)\} (\S+)$/;

/** Those of Temporal itself are in another namespace, and not billed. */
export function actionsIn(page: string): Actions {
  const actions: Actions = {};
  for (const line of page.split('\n')) {
    const [, labels = '', count] = counter.exec(line) ?? [];
    const kind = /action_type="([^"]*)"/.exec(labels)?.[1];
    if (kind === undefined || !labels.includes('namespace="default"')) continue;
    actions[kind] = (actions[kind] ?? 0) + Number(count);
  }
  return actions;
}

/** Since the start of the server. */
export async function actionsOf(stateDir: string): Promise<Actions> {
  const { temporalMetrics } = readPorts(layoutOf(stateDir));
  return actionsIn(await (await fetch(`http://${host}:${temporalMetrics}/metrics`)).text());
}

export function actionsBetween(before: Actions, after: Actions): Actions {
  const grown = Object.entries(after).map(([kind, count]) => [kind, count - (before[kind] ?? 0)]);
  return Object.fromEntries(grown.filter(([, count]) => Number(count) > 0));
}

export const sumOf = (actions: Actions): number =>
  Object.values(actions).reduce((sum, count) => sum + count, 0);
