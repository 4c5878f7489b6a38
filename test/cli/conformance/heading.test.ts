import { heading } from '../../../cli/driver/conformance/report.ts';

const names = { queue: 'q', namespace: 'shoot', className: 'small', run: 'verify-1' };
const subject = { ...names, contract: 'millwright' } as const;
const first = (provider: string): string | undefined =>
  heading({ ...subject, provider }).split('\n')[0];

test.each(['anexia', 'metal', 'nutanix', 'vmware-cloud-director', 'yandex'])(
  'the kit says in its first line that the driver of %s has met no real server',
  (provider) => {
    expect(first(provider)).toBe(
      `The driver of provider ${provider} has met no real server: this may be its first one.`,
    );
  },
);

test('the kit says nothing of the kind of other drivers', () => {
  expect(first('AWS')).toMatch(/^Driver of provider AWS on q/);
});
