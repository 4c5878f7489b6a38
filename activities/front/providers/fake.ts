/** `fake`, which makes nothing there, is our virtual cloud here: for trials and tests. */
import type { ProviderTable } from './table.ts';

const fails =
  'machine-controller refuses this template, as it was asked to: write passValidation: true';

export const fake: ProviderTable = {
  cloudProvider: 'fake',
  provider: 'virtual',
  rows: [{ theirs: 'passValidation', refused: fails, harmless: [true] }],
  more: ({ passValidation }) =>
    passValidation === undefined
      ? { faults: [`cloudProviderSpec.passValidation is missing: ${fails}`] }
      : {},
  moreBack: () => ({ passValidation: true }),
  findsInstanceBy: { name: true },
};
