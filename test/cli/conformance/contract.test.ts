import { faultsOf } from '../../../cli/driver/conformance/driver-under-test.ts';

const instance = { providerID: 'acme:///1', nodeName: 'a', isFound: true };
const failure = { code: 'NotFound', message: 'it is gone', isSettled: true };

test.each([
  { activity: 'createInstance', answer: { outcome: 'created', instance } },
  { activity: 'createInstance', answer: { outcome: 'failed', failure } },
  { activity: 'createInstance', answer: { outcome: 'pending', message: 'm', pollAfterSeconds: 1 } },
  { activity: 'deleteInstance', answer: { outcome: 'pending', message: 'm', pollAfterSeconds: 9 } },
  { activity: 'describeInstance', answer: { outcome: 'missing', settleSeconds: 0.5 } },
  { activity: 'listInstances', answer: { outcome: 'listed', instances: [] } },
  { activity: 'volumeIds', answer: { volumeIds: ['v-1'] } },
  // A newer driver may say more.
  { activity: 'validateClass', answer: { outcome: 'validated', faults: [], warnings: [] } },
] as const)('the contract lets $activity answer $answer.outcome', ({ activity, answer }) => {
  expect(faultsOf(activity, answer)).toEqual([]);
});

test.each([
  {
    name: 'an outcome of another activity',
    activity: 'createInstance',
    answer: { outcome: 'found', instance },
    says: ['outcome: "found" is not one of created, pending, failed'],
  },
  {
    name: 'nothing',
    activity: 'deleteInstance',
    answer: null,
    says: ['outcome: undefined is not one of deleted, pending, failed'],
  },
  {
    name: 'to be asked again at once',
    activity: 'deleteInstance',
    answer: { outcome: 'pending', message: 'm', pollAfterSeconds: 0 },
    says: ['pollAfterSeconds must be >= 1'],
  },
  {
    name: 'a listed instance whose deletion is pending',
    activity: 'deleteListed',
    answer: { outcome: 'pending', message: 'm', pollAfterSeconds: 1 },
    says: ['outcome: "pending" is not one of deleted, failed'],
  },
  {
    name: 'a field that is missing',
    activity: 'createInstance',
    answer: { outcome: 'created', instance: { ...instance, isFound: undefined } },
    says: ["instance must have required property 'isFound'"],
  },
  {
    name: 'a Node that cannot be',
    activity: 'createInstance',
    answer: { outcome: 'created', instance: { ...instance, nodeName: 'Not A Node' } },
    says: [expect.stringContaining('instance/nodeName must match pattern')],
  },
  {
    name: 'an instance that is found without the name of its Node',
    activity: 'describeInstance',
    answer: { outcome: 'found', instance: { providerID: 'acme:///1', nodeName: '' } },
    says: [expect.stringContaining('instance/nodeName must match pattern')],
  },
  {
    name: 'a code of its own making',
    activity: 'listInstances',
    answer: { outcome: 'failed', failure: { ...failure, code: 'Gone' } },
    says: [expect.stringContaining('failure/code must be equal to one of the allowed values: ')],
  },
  {
    name: 'null for a field that is absent',
    activity: 'describeInstance',
    answer: { outcome: 'failed', failure: { ...failure, retryAfterSeconds: null } },
    says: ['failure/retryAfterSeconds must be number'],
  },
] as const)(
  'an answer that breaks the contract is a fault: $name',
  ({ activity, answer, says }) => {
    expect(faultsOf(activity, JSON.parse(JSON.stringify(answer)))).toEqual(says);
  },
);
