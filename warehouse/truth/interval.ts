/** Hits among independent trials. */
export interface Count {
  readonly of: number;
  readonly hits: number;
}

export interface Interval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** Quantile of the normal distribution for 95 %, two-sided. */
const Z = 1.959963984540054;

/** Score interval of a share: E. B. Wilson, J. Amer. Statist. Assoc. 22 (1927). */
export function wilson({ of, hits }: Count): Interval {
  const estimate = hits / of;
  const square = (Z * Z) / of;
  const centre = estimate + square / 2;
  const half = Math.sqrt(square * (estimate * (1 - estimate) + square / 4));
  return {
    estimate,
    low: Math.max(0, (centre - half) / (1 + square)),
    high: Math.min(1, (centre + half) / (1 + square)),
  };
}

/** Hybrid score interval of a − b: R. G. Newcombe, Statistics in Medicine 17 (1998), method 10. */
export function newcombe(a: Count, b: Count): Interval {
  const [one, other] = [wilson(a), wilson(b)];
  const estimate = one.estimate - other.estimate;
  return {
    estimate,
    low: estimate - Math.hypot(one.estimate - one.low, other.high - other.estimate),
    high: estimate + Math.hypot(one.high - one.estimate, other.estimate - other.low),
  };
}
