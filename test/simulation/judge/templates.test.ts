import { anObject } from './courtroom.ts';
import { isOfTemplate } from './templates.ts';

const template = {
  metadata: { labels: { pool: 'a', version: '1' } },
  spec: { class: { kind: 'MachineClass', name: 'small' } },
};
const restart = { annotations: { 'millwright.dev/restart': 'now' } };
const hashed = { labels: { version: '1', pool: 'a', 'machine-template-hash': '7' } };

test.each([
  ['itself', template, {}, true],
  ['its copy with a hash', { ...template, metadata: hashed }, {}, true],
  ['other labels', { ...template, metadata: { labels: { pool: 'b' } } }, {}, false],
  ['annotations', { ...template, metadata: { ...template.metadata, ...restart } }, {}, false],
  ['another class', { ...template, spec: { class: { name: 'large' } } }, {}, false],
  [
    'another limit, which is pushed down',
    { ...template, spec: { ...template.spec, drainTimeout: '1m' } },
    {},
    true,
  ],
  ['itself, of a restart', template, restart, true],
] as const)('%s', (...[, of, metadata, expected]) => {
  const deployment = anObject('MachineDeployment', 'pool', { spec: { template } });
  const set = anObject('MachineSet', 'pool-1', { metadata, spec: { template: of } });
  expect(isOfTemplate(set, deployment)).toBe(expected);
});

test.each([
  [restart, true],
  [{}, false],
])('a restart asks for a set that was made for it: %j', (metadata, expected) => {
  const deployment = anObject('MachineDeployment', 'pool', {
    metadata: restart,
    spec: { template },
  });
  const set = anObject('MachineSet', 'pool-1', { metadata, spec: { template } });
  expect(isOfTemplate(set, deployment)).toBe(expected);
});
