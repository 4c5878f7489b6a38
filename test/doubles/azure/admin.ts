/**
 * What a test in another process asks: `/_double/faults`, `/_double/resources`, `/_double/calls`,
 * `/_double/reset`.
 */
import type { Answer } from './answer.ts';
import type { AzureDouble } from './double.ts';

interface AdminRequest {
  method: string;
  path: string;
  text: string;
}

const done: Answer = { status: 200, body: {} };

const acts: Readonly<Record<string, (double: AzureDouble, text: string) => Answer | void>> = {
  'POST faults': (double, text) => double.faults.add(JSON.parse(text)),
  'DELETE faults': (double) => {
    double.faults.clear();
    double.authority.restore();
  },
  'POST revoke-credentials': (double) => double.authority.revoke(),
  'POST freeze-graph': (double) => double.freezeGraph(),
  'POST thaw-graph': (double) => double.thawGraph(),
  'POST reset': (double) => double.reset(),
  'GET resources': (double) => {
    double.resources.advance();
    return { status: 200, body: resourcesOf(double) };
  },
  'GET calls': ({ calls }) => ({ status: 200, body: { calls } }),
};

/** Nothing: it is not for us. */
export function answerAdmin(
  double: AzureDouble,
  { method, path, text }: AdminRequest,
): Answer | undefined {
  const [, what] = /^\/_double\/([a-z-]+)$/.exec(path) ?? [];
  if (what === undefined) return undefined;
  const act = acts[`${method} ${what}`];
  if (!act) return { status: 404, body: { message: `${method} ${path} is not known` } };
  return act(double, text) ?? done;
}

/** `created`: how many virtual machines each name ever had. */
function resourcesOf({ resources }: AzureDouble): object {
  const all = resources.all().map(({ type, group, name, tags, provisioningState }) => ({
    type,
    group,
    name,
    tags,
    provisioningState,
  }));
  return { resources: all, created: Object.fromEntries(resources.created) };
}
