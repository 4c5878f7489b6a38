import type { Driver } from '../../../activities/drivers/driver.ts';
import type { CallLimits } from '../../../workers/drivers/pipeline.ts';
import type { MeterParts } from '../../../workers/drivers/pipeline.ts';
import type { PaceParts } from '../../../workers/drivers/pace.ts';
import { createPaces } from '../../../workers/drivers/pace.ts';
import { driverPipeline } from '../../../workers/drivers/pipeline.ts';

interface Parts {
  provider?: string;
  limit?: CallLimits;
  meter?: Partial<MeterParts>;
  pace?: Partial<PaceParts>;
}

const ignore = (): void => {};

/** The driver in its pipeline; a test names the parts that it looks at. */
export function aPipeline(
  driver: Driver,
  { provider = 'virtual', limit = {}, meter, pace }: Parts = {},
): Driver {
  return driverPipeline(driver, provider, {
    limit,
    meter: { count: ignore, report: ignore, ...meter },
    pace: { onThrottled: ignore, onHeldBack: ignore, paces: createPaces(), ...pace },
  });
}
