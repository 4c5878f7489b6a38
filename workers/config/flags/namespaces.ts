/** Which namespaces `--namespaces` names. */
import type { Kind } from './kinds.ts';
import { names, namespaceName } from './kinds.ts';

/** By name, or by the labels of the Namespaces; no labels: all of them. */
export type FleetNamespaces =
  { kind: 'list'; names: readonly string[] } | { kind: 'selected'; labels: string };

const prefix = 'labels:';
/** As Kubernetes writes selectors of labels; what it means is for the API server to say. */
const selector = /^[\w./(),=!\s-]+$/;

/** `none`: the flag was not given. */
export const fleetNamespaces: Kind<FleetNamespaces | 'none'> = {
  placeholder: 'NAME,NAME|labels:SELECTOR|all',
  allowed: 'names of namespaces separated by commas, "labels:" with a label selector, or "all"',
  parse(value) {
    if (value === '') return 'none';
    if (value === 'all') return { kind: 'selected', labels: '' };
    if (value.startsWith(prefix)) return selectedBy(value.slice(prefix.length).trim());
    const listed = [...new Set(names.parse(value))];
    const isAllowed = listed.every((name) => namespaceName.parse(name) !== undefined);
    return isAllowed && listed.length > 0 ? { kind: 'list', names: listed } : undefined;
  },
};

function selectedBy(labels: string): FleetNamespaces | undefined {
  return selector.test(labels) ? { kind: 'selected', labels } : undefined;
}
