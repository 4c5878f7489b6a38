/**
 * Where text that others wrote becomes objects. What comes in there has a bound, and is read in a
 * time that grows with its length: a new reader says here why (and has a row of its worst input in
 * `bounded-work.test.ts`, or of its patterns in `linear-text.test.ts`).
 */
import { readSource, sourcesIn } from './sources.ts';

const folders = ['activities', 'kube', 'watcher', 'workers', 'workflows'];

const readsText = /\b(JSON\.parse|parsedJson)\b|from 'yaml'/;

const annotation = 'an annotation: 256 KiB';
const answer = 'an answer of a cloud, which its client bounds';
const checkpoint = 'a checkpoint of our own driver';
const own = 'our own text';

const readers: Readonly<Record<string, string>> = {
  'activities/drivers/aws/run-instances-input.ts': annotation,
  'activities/drivers/aws/wait.ts': checkpoint,
  'activities/drivers/azure/checkpoint.ts': checkpoint,
  'activities/drivers/azure/session.ts': answer,
  'activities/drivers/frame/checkpoint.ts': checkpoint,
  'activities/drivers/frame/http.ts': answer,
  'activities/drivers/gcp/credentials.ts': 'a key of a Secret: 1 MiB',
  'activities/drivers/gcp/error-mapping.ts': answer,
  'activities/drivers/gcp/sdk-transport.ts': own,
  'activities/drivers/kubevirt/validate.ts': own,
  'activities/drivers/virtual/client.ts': own,
  'activities/drivers/virtual/error-mapping.ts': own,
  'activities/drivers/yandex/credentials.ts': 'a key of a Secret: 1 MiB',
  'activities/front/providers/gce.ts': 'a key of a Secret: 1 MiB',
  'activities/front/providers/kubevirt.ts': 'a kubeconfig of a Secret: 64 KiB',
  'activities/front/sync-pool.ts': 'a key of a Secret: 1 MiB',
  'kube/cache/recent-objects.ts': own,
  'kube/client/errors.ts': 'an answer of an API server: longestAnswerBytes',
  'kube/client/http-client.ts': 'an answer of an API server: longestAnswerBytes',
  'kube/client/kubeconfig.ts': 'a kubeconfig of a Secret: 64 KiB',
  'kube/objects/certificate-ends.ts': annotation,
  'kube/objects/install-note.ts': annotation,
  'kube/objects/pauses.ts': annotation,
  'watcher/cache/checkpoint.ts': own,
  'workers/checks/check-metrics.ts': own,
  'workers/log/logger.ts': own,
  'workflows/plan/machine-deployment/from-zero.ts': annotation,
  'workflows/plan/machine/node-template.ts': annotation,
  'workflows/runtime/payload-converter.ts': 'a message of Temporal: 2 MiB',
  'workflows/values/parsed-json.ts': 'for those above',
};

test('each file that reads the text of others is listed, with what bounds it', () => {
  const found = sourcesIn(folders).filter((file) => readsText.test(readSource(file)));
  expect(found.toSorted()).toEqual(Object.keys(readers));
});
