/** Label selectors that no API server reads. */
export const refusedLabelSelectors = [
  'l=1=2',
  'l in 1',
  'l in (1',
  ',',
  'l,,m',
  '=1',
  'l=a b',
  '-l',
  'l>x',
  '!l=1',
  'l=!',
  'x/y/z=1',
  'l in (a/b)',
];
