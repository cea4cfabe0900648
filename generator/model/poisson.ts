import { type Rng, uniform53 } from "./random.ts";

export function poisson(rng: Rng, mean: number): number {
  if (!(mean >= 0)) throw new RangeError(`poisson: mean must be 0 or more, not ${mean}`);
  return mean < 10 ? byInversion(rng, mean) : byTransformedRejection(rng, mean);
}

/** Draws by inversion, for means below 10, where e^-mean does not underflow. */
function byInversion(rng: Rng, mean: number): number {
  let rest = uniform53(rng);
  let probability = Math.exp(-mean);
  let count = 0;
  // Counts above 200 have probability 0 in floating point.
  while (rest >= probability && count < 200) {
    rest -= probability;
    count += 1;
    probability *= mean / count;
  }
  return count;
}

/** Draws by PTRS: W. Hörmann, "The transformed rejection method …", Insurance: Math. and Econ. 12 (1993). */
function byTransformedRejection(rng: Rng, mean: number): number {
  const b = 0.931 + 2.53 * Math.sqrt(mean);
  const a = -0.059 + 0.02483 * b;
  const inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
  const squeeze = 0.9277 - 3.6224 / (b - 2);
  const logMean = Math.log(mean);
  for (;;) {
    const u = uniform53(rng) - 0.5;
    const v = uniform53(rng);
    const us = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= squeeze) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const left = Math.log(v) + Math.log(inverseAlpha) - Math.log(a / (us * us) + b);
    if (left <= k * logMean - mean - logFactorial(k)) return k;
  }
}

const LOG_FACTORIALS = [1, 1, 2, 6, 24, 120, 720, 5040, 40_320, 362_880].map(Math.log);

/** Returns ln k!, by Stirling's series from 10 on (error below 1e-10). */
export function logFactorial(k: number): number {
  const small = LOG_FACTORIALS[k];
  if (small !== undefined) return small;
  const n = k + 1;
  const series = (1 / 12 - (1 / 360 - 1 / (1260 * n * n)) / (n * n)) / n;
  return (n - 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + series;
}
