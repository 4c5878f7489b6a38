/** A mutating webhook that takes a label off new Machines for a while. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { KubeClient } from '../../kube/client/client.ts';
import { group } from '../../workflows/api/constants.ts';
import { selfSigned } from '../support/self-signed.ts';

interface Review {
  request: { uid: string; object: { metadata: { labels?: Record<string, string> } } };
}

export class StrippingPolicy {
  readonly #server: Server;
  readonly #label: string;
  #until = 0;

  private constructor(server: Server, label: string) {
    this.#server = server;
    this.#label = label;
  }

  /** @param label The name alone, without a slash. */
  static async start(kube: KubeClient, namespace: string, label: string): Promise<StrippingPolicy> {
    const { key, certificate } = await selfSigned({ name: 'policy', hosts: ['localhost'] });
    const server = createServer({ key, cert: certificate });
    const policy = new StrippingPolicy(server, label);
    server.on('request', (request, response) => void policy.#respond(request, response));
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, 'localhost', resolve);
    await promise;
    const { port }: Partial<AddressInfo> = Object(server.address());
    await kube.create('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'stripping' },
      webhooks: [
        {
          name: 'stripping.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Ignore',
          timeoutSeconds: 2,
          clientConfig: {
            url: `https://localhost:${port}/`,
            caBundle: Buffer.from(certificate).toString('base64'),
          },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          rules: [
            {
              apiGroups: [group],
              apiVersions: ['*'],
              operations: ['CREATE'],
              resources: ['machines'],
            },
          ],
        },
      ],
    });
    return policy;
  }

  stripFor(seconds: number): void {
    this.#until = performance.now() + seconds * 1_000;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const review: Review = Object(await json(request));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(this.#answer(review)));
  }

  #answer({ request: { uid, object } }: Review): object {
    const isStripped =
      performance.now() < this.#until && this.#label in (object.metadata.labels ?? {});
    const operations = [{ op: 'remove', path: `/metadata/labels/${this.#label}` }];
    const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
    return {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid, allowed: true, ...(isStripped && { patchType: 'JSONPatch', patch }) },
    };
  }
}
