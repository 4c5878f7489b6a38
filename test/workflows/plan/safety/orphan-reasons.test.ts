import {
  isUnsearched,
  leftOpenBy,
  wasSearchedLately,
} from '../../../../workflows/plan/safety/orphan-reasons.ts';

const at = (startedAt?: number) => ({
  schedule: startedAt === undefined ? {} : { startedAt },
  periodSeconds: 900,
});
const halfMs = 450_000;

test('a search counts for half a period', () => {
  expect(wasSearchedLately(at(0), halfMs - 1)).toBe(true);
  expect(wasSearchedLately(at(0), halfMs)).toBe(false);
  expect(wasSearchedLately(at(), 0)).toBe(false);
});

test('a change is searched for until half a period after it', () => {
  expect(isUnsearched(at(), 0)).toBe(true);
  expect(isUnsearched(at(0), 1)).toBe(true);
  expect(isUnsearched(at(halfMs), 1)).toBe(true);
  expect(isUnsearched(at(halfMs + 1), 1)).toBe(false);
});

const well = {
  mode: 'delete',
  suspects: [],
  errors: [],
  kept: { total: 3, claimed: 3 },
  missing: { total: 0, machines: [], stopped: [] },
};

test.each([
  { left: 'nothing', report: well, isOpen: false },
  { left: 'suspects', report: { ...well, suspects: [{}] }, isOpen: true },
  { left: 'too many', report: { ...well, suspects: [{}], stopped: 'too many' }, isOpen: false },
  { left: 'reported ones', report: { ...well, mode: 'report', suspects: [{}] }, isOpen: false },
  { left: 'errors', report: { ...well, mode: 'report', errors: [{}] }, isOpen: true },
  { left: 'young', report: { ...well, kept: { total: 1, young: 1 } }, isOpen: true },
  { left: 'creating', report: { ...well, kept: { total: 1, creating: 1 } }, isOpen: true },

  { left: 'missing', report: { ...well, missing: { total: 1, stopped: [] } }, isOpen: true },
  { left: 'lost', report: { ...well, missing: { total: 9, stopped: [{}] } }, isOpen: false },
  { left: 'no report', report: undefined, isOpen: false },
  { left: 'another form', report: 'done', isOpen: false },
])('a report that leaves $left', ({ report, isOpen }) => {
  expect(leftOpenBy(report) !== undefined).toBe(isOpen);
});
