/** What a test in another process asks: `/_double/faults`, `/_double/resources`, `/_double/calls`, `/_double/reset`. */
import type { Answer } from './answer.ts';
import type { AzureDouble } from './server.ts';

interface AdminRequest {
  method: string;
  path: string;
  text: string;
}

/** Nothing: it is not for us. */
export function answerAdmin(
  double: AzureDouble,
  { method, path, text }: AdminRequest,
): Answer | undefined {
  const [, what] = /^\/_double\/([a-z-]+)$/.exec(path) ?? [];
  if (what === undefined) return undefined;
  switch (`${method} ${what}`) {
    case 'POST faults':
      double.faults.add(JSON.parse(text));
      return { status: 200, body: {} };
    case 'DELETE faults':
      double.faults.clear();
      double.authority.restore();
      return { status: 200, body: {} };
    case 'POST revoke-credentials':
      double.authority.revoke();
      return { status: 200, body: {} };
    case 'POST freeze-graph':
      double.freezeGraph();
      return { status: 200, body: {} };
    case 'POST thaw-graph':
      double.thawGraph();
      return { status: 200, body: {} };
    case 'POST reset':
      double.reset();
      return { status: 200, body: {} };
    case 'GET resources':
      double.resources.advance();
      return { status: 200, body: resourcesOf(double) };
    case 'GET calls':
      return { status: 200, body: { calls: double.calls } };
    default:
      return { status: 404, body: { message: `${method} ${path} is not known` } };
  }
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
