import type { Donor } from "../model/donors.ts";

/** Origin of sessions. All hosts are under the reserved top-level domain .example. */
interface Source {
  readonly weight: number;
  readonly facts: Donor["source"];
}

const source = (
  weight: number,
  referer: { url: string; medium: string },
  utm: { medium: string; source: string; content?: string; campaign?: string } | null = null,
): Source => ({
  weight,
  facts: {
    referer_url: referer.url,
    referer_medium: referer.medium,
    utm_medium: utm?.medium ?? "",
    utm_source: utm?.source ?? "",
    utm_content: utm?.content ?? "",
    utm_campaign: utm?.campaign ?? "",
  },
});

const direct = { url: "", medium: "direct" };
const search = (url: string) => ({ url, medium: "search" });
const social = (url: string) => ({ url, medium: "social" });
const email = (url: string) => ({ url, medium: "email" });
const partner = (url: string) => ({ url, medium: "referral" });

const findwell = search("https://www.findwell.example/");
const quest = search("https://quest.example/search");
const friendly = social("https://friendly.example/feed");
const pictures = social("https://pictures.example/");
const clips = social("https://clips.example/watch");
const postbox = email("https://mail.postbox.example/inbox");

const directVisit = source(28, direct);
const organicSearch = source(20, findwell);
const friendsPost = source(5, friendly);
const weeklyDigest = source(5, postbox, {
  medium: "email",
  source: "newsletter",
  content: "hero",
  campaign: "weekly_digest",
});
const cartReminder = source(2, postbox, {
  medium: "email",
  source: "newsletter",
  content: "cart_reminder",
  campaign: "win_back",
});

export const sources: readonly Source[] = [
  directVisit,
  organicSearch,
  source(5, quest),
  source(6, findwell, {
    medium: "cpc",
    source: "findwell",
    content: "text_ad",
    campaign: "brand_search",
  }),
  source(5, findwell, {
    medium: "cpc",
    source: "findwell",
    content: "shopping_ad",
    campaign: "product_a_launch",
  }),
  source(2, quest, {
    medium: "cpc",
    source: "quest",
    content: "text_ad",
    campaign: "brand_search",
  }),
  friendsPost,
  source(3, pictures),
  source(5, friendly, {
    medium: "paid_social",
    source: "friendly",
    content: "carousel",
    campaign: "product_a_launch",
  }),
  source(4, pictures, {
    medium: "paid_social",
    source: "pictures",
    content: "story",
    campaign: "product_b_season",
  }),
  source(2, clips, {
    medium: "paid_social",
    source: "clips",
    content: "video",
    campaign: "product_b_season",
  }),
  weeklyDigest,
  cartReminder,
  source(4, partner("https://reviews.example/best-of"), {
    medium: "affiliate",
    source: "reviews",
    content: "comparison",
    campaign: "partners",
  }),
  source(3, partner("https://blog.partner.example/guide")),
  source(
    1,
    { ...direct },
    { medium: "offline", source: "poster", content: "qr_code", campaign: "city_lights" },
  ),
];

/** Sources of returning visitors; the names are part of stored states. */
export const returnSources = {
  direct: directVisit.facts,
  search: organicSearch.facts,
  newsletter: weeklyDigest.facts,
  reminder: cartReminder.facts,
  social: friendsPost.facts,
} as const satisfies Record<string, Donor["source"]>;
export type ReturnSource = keyof typeof returnSources;
