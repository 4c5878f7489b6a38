/**
 * Webhooks on `cluster.k8s.io`. Those of machine-controller have failurePolicy Fail: without its
 * process they refuse every write. A take-over does not delete them, but excepts the namespace, so
 * that other namespaces keep them and the way back needs nothing that was remembered.
 */
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import { retryOnConflict } from '../../../kube/client/retry-on-conflict.ts';
import { kubermaticGroup } from '../../../workflows/api/kubermatic-names.ts';
import type { LabelSelector } from '../../../workflows/api/machine-set.ts';
import { selectsLabels } from '../../../workflows/api/selector.ts';

interface Webhook {
  name: string;
  /** Default Fail. */
  failurePolicy?: string;
  namespaceSelector?: LabelSelector;
  rules?: readonly { apiGroups?: readonly string[] }[];
}

export interface WebhookConfig extends KubeObject {
  webhooks?: readonly Webhook[];
}

const kinds = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'] as const;
const pathOf = (kind: string, name = '') =>
  `/apis/admissionregistration.k8s.io/v1/${kind}${name && `/${name}`}`;

const nameLabel = 'kubernetes.io/metadata.name';
const exception = (namespace: string) => ({
  key: nameLabel,
  operator: 'NotIn' as const,
  values: [namespace],
});

export const isOfController = ({ name }: Webhook): boolean =>
  name.endsWith('machine-controller.kubermatic.io');

/** Those that the API server asks about objects of `cluster.k8s.io` with these labels. */
export function webhooksFor(
  { webhooks = [] }: WebhookConfig,
  labels: Record<string, string>,
): Webhook[] {
  return webhooks.filter(({ rules = [], namespaceSelector }) => {
    const groups = rules.flatMap(({ apiGroups = [] }) => apiGroups);
    const isAsked = groups.includes(kubermaticGroup) || groups.includes('*');
    return isAsked && selectsLabels(namespaceSelector, labels);
  });
}

export async function listWebhooks(kube: KubeClient): Promise<WebhookConfig[]> {
  const lists = await Promise.all(kinds.map((kind) => kube.list<WebhookConfig>(pathOf(kind))));
  return lists.flatMap(({ items }) => items);
}

/** Returns the names of the configurations that were changed. */
export async function leaveNamespace(
  kube: KubeClient,
  namespace: string,
  labels: Record<string, string>,
): Promise<string[]> {
  return await change(kube, (webhook, configuration) => {
    const isAsked = webhooksFor(configuration, labels).includes(webhook);
    if (!isAsked) return undefined;
    const { namespaceSelector: { matchExpressions = [], ...selector } = {} } = webhook;
    return { ...selector, matchExpressions: [...matchExpressions, exception(namespace)] };
  });
}

export async function addNamespace(kube: KubeClient, namespace: string): Promise<string[]> {
  const ours = JSON.stringify(exception(namespace));
  return await change(
    kube,
    ({ namespaceSelector: { matchExpressions = [], ...selector } = {} }) => {
      const others = matchExpressions.filter(
        ({ key, operator, values }) => JSON.stringify({ key, operator, values }) !== ours,
      );
      if (others.length === matchExpressions.length) return undefined;
      return others.length === 0 ? selector : { ...selector, matchExpressions: others };
    },
  );
}

/** `selectorOf`: the new namespaceSelector; undefined: it stays. */
async function change(
  kube: KubeClient,
  selectorOf: (webhook: Webhook, of: WebhookConfig) => LabelSelector | undefined,
): Promise<string[]> {
  const changed: string[] = [];
  for (const kind of kinds) {
    for (const { metadata, webhooks } of (await kube.list<WebhookConfig>(pathOf(kind))).items) {
      if (!webhooks?.some(isOfController)) continue;
      const path = pathOf(kind, metadata.name);
      const isChanged = await retryOnConflict(async () => {
        const now = await kube.get<WebhookConfig>(path);
        const next = now.webhooks?.map((one) => {
          const namespaceSelector = isOfController(one) ? selectorOf(one, now) : undefined;
          return namespaceSelector ? { ...one, namespaceSelector } : one;
        });
        if (next?.every((one, index) => one === now.webhooks?.[index])) return false;
        const { resourceVersion } = now.metadata;
        await kube.patch(path, 'merge', { metadata: { resourceVersion }, webhooks: next });
        return true;
      });
      if (isChanged) changed.push(metadata.name);
    }
  }
  return changed;
}
