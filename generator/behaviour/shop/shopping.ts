import { PAGES } from "../../../contract/streams.ts";
import type { EventFacts, Shopper, Shopping } from "../../model/behaviour.ts";
import { pick, type Rng, uniform } from "../../model/random.ts";
import { cumulated, draw } from "./course.ts";
import type { ShopParameters } from "./parameters.ts";
import type { Variant } from "./session-traits.ts";
import type { BasketValue } from "./walk.ts";

const [HOME, A, B, CART, CONFIRMATION] = (
  ["/home", "/product_a", "/product_b", "/cart", "/confirmation"] as const
).map((page) => PAGES.indexOf(page)) as [number, number, number, number, number];
const PRODUCTS = [A, B] as const;

const nameOf = (page: number): string => PAGES[page]?.slice(1) ?? "";
const amountOf = (cents: number): string => String(cents / 100);

/** Returns the price of a product in cents. */
const priceOf = (
  { money, experiment }: ShopParameters,
  page: number,
  variant: Variant | "",
): number => {
  const price = money.price[page === A ? "/product_a" : "/product_b"];
  return Math.round(price * 100 * (variant === "b" ? (experiment.price ?? 1) : 1));
};

/** What visitors search and put into the basket, in the prices of a variant. */
export function shoppingOf(parameters: ShopParameters, variant: Variant): Shopping {
  const { currency, quantity, search } = parameters.money;
  const prices = PAGES.map((_, page) => priceOf(parameters, page, variant));
  const quantities = cumulated(quantity);
  const drawUnits = (rng: Rng): number => 1 + draw(rng, quantities);
  const value = (cents: number, properties: object): string =>
    `,"order_value":${amountOf(cents)},"currency":"${currency}","properties":${JSON.stringify(properties)}`;

  const put = (session: Shopper, product: number, units: number): void => {
    const [a, b] = session.basket;
    session.basket = product === A ? [a + units, b] : [a, b + units];
  };
  const isProduct = (page: number): boolean => page === A || page === B;
  const ofProducts = <T>(make: (product: number) => T) =>
    PAGES.map((_, page) => (isProduct(page) ? make(page) : undefined));

  // Few different events, so they are made once.
  const searches = ofProducts((product) => ({
    type: "search",
    more: `,"properties":{"query":"${nameOf(product).replace("_", " ")}"}`,
  }));
  const additions = ofProducts((product) =>
    quantity.map((_, index) => {
      const units = index + 1;
      const properties = { product: nameOf(product), quantity: String(units) };
      return { type: "add_to_cart", more: value((prices[product] ?? 0) * units, properties) };
    }),
  );

  return {
    /** A visitor who lands in the cart has a basket from before. */
    land(rng, session) {
      if (session.page === CART) put(session, pick(rng, PRODUCTS), drawUnits(rng));
    },
    arrive(rng, session): EventFacts | undefined {
      const { from, page } = session;
      if (page === CART && isProduct(from)) {
        const units = drawUnits(rng);
        put(session, from, units);
        return additions[from]?.[units - 1];
      }
      if (from !== HOME || !isProduct(page) || uniform(rng) >= search) return undefined;
      return searches[page];
    },
    buy(session): string {
      if (session.page !== CONFIRMATION) return "";
      const [a, b] = session.basket;
      session.basket = EMPTY_BASKET;
      const properties = Object.fromEntries(
        [[nameOf(A), a] as const, [nameOf(B), b] as const].flatMap(([name, units]) =>
          units === 0 ? [] : [[name, String(units)]],
        ),
      );
      return value(a * (prices[A] ?? 0) + b * (prices[B] ?? 0), properties);
    },
  };
}

const EMPTY_BASKET: Shopper["basket"] = [0, 0];

/** Returns the expected values that `shoppingOf` puts into a basket. */
export function basketValue(parameters: ShopParameters, variant: Variant | ""): BasketValue {
  const units = parameters.money.quantity.reduce(
    (sum, share, index) => sum + share * (index + 1),
    0,
  );
  const added = PAGES.map((_, page) =>
    page === A || page === B ? (units * priceOf(parameters, page, variant)) / 100 : 0,
  );
  return { added, landing: ((added[A] ?? 0) + (added[B] ?? 0)) / PRODUCTS.length };
}
