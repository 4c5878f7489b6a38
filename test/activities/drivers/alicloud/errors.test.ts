import {
  codeMeanings,
  meaningOf,
  prefixMeanings,
} from '../../../../activities/drivers/alicloud/errors.ts';

/** As the driver of MCM has them: pkg/alicloud/errors/codes.go. */
const exhaustedWithMcm = [
  'QuotaExceed.DiskCapacity',
  'QuotaExceed.ElasticQuota',
  'OperationDenied.ZoneSystemCategoryNotMatch',
  'OperationDenied.CloudSSDNotSupported',
  'OperationDenied.ZoneNotAllowed',
  'OperationDenied.NoStock',
  'Zone.NotOnSale',
  'Zone.NotOpen',
  'InvalidVpcZone.NotSupported',
  'InvalidZoneId.NotSupportShareEncryptedImage',
  'InvalidResourceType.NotSupported',
  'InvalidInstanceType.ZoneNotSupported',
  'ResourceNotAvailable',
];

test.each(exhaustedWithMcm)('%s is quota or capacity, as with MCM', (code) => {
  expect(['quota', 'capacity']).toContain(meaningOf(code, 403));
});

test.each([
  ['Throttling', 400, 'throttling'],
  ['Throttling.User', 400, 'throttling'],
  ['Throttling.Api', 503, 'throttling'],
  ['ThrottlingQuota', 400, 'throttling'],
  ['QuotaExceed.Anything', 403, 'quota'],
  ['InvalidAccessKeyId.NotFound', 404, 'unauthenticated'],
  ['InvalidAccessKeyId.Inactive', 403, 'unauthenticated'],
  ['SignatureDoesNotMatch', 400, 'unauthenticated'],
  ['Forbidden.RAM', 403, 'forbidden'],
  ['Forbidden', 403, 'forbidden'],
  ['InvalidInstanceId.NotFound', 404, 'missing'],
  ['InvalidImageId.NotFound', 404, 'input'],
  ['InvalidRegionId.NotFound', 404, 'input'],
  ['IncorrectInstanceStatus', 403, 'conflict'],
  ['IncorrectInstanceStatus.Initializing', 403, 'conflict'],
  ['IdempotentParameterMismatch', 400, 'conflict'],
  ['IdempotentProcessing', 409, 'conflict'],
  ['OperationDenied.ImageNotValid', 403, 'input'],
  ['InternalError', 500, 'unavailable'],
  ['ServiceUnavailable', 503, 'unavailable'],
  ['New.Code', 400, 'input'],
  ['New.Code', 403, 'forbidden'],
  ['New.Code', 404, 'input'],
  ['New.Code', 418, 'unknown'],
] as const)('%s with status %i is %s', (code, status, meaning) => {
  expect(meaningOf(code, status)).toBe(meaning);
});

test('no row of the table is what its prefix says already', () => {
  const needless = Object.entries(codeMeanings).filter(
    ([code, meaning]) =>
      prefixMeanings.find(([start]) => code.startsWith(start))?.[1] === meaning &&
      !exhaustedWithMcm.includes(code),
  );
  expect(needless).toEqual([]);
});
