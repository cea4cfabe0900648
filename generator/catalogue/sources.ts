import type { Donor } from "../model/donors.ts";

/** Origin of sessions. All hosts are under the reserved top-level domain .example. */
interface Source {
  readonly weight: number;
  readonly facts: Donor["source"];
}

const source = (
  weight: number,
  referer: { url: string; medium: string },
  tags = utm("", "", "", ""),
): Source => ({
  weight,
  facts: { referer_url: referer.url, referer_medium: referer.medium, ...tags },
});

const utm = (medium: string, source: string, content: string, campaign: string) => ({
  utm_medium: medium,
  utm_source: source,
  utm_content: content,
  utm_campaign: campaign,
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
const weeklyDigest = source(5, postbox, utm("email", "newsletter", "hero", "weekly_digest"));
const cartReminder = source(2, postbox, utm("email", "newsletter", "cart_reminder", "win_back"));

export const sources: readonly Source[] = [
  directVisit,
  organicSearch,
  source(5, quest),
  source(6, findwell, utm("cpc", "findwell", "text_ad", "brand_search")),
  source(5, findwell, utm("cpc", "findwell", "shopping_ad", "product_a_launch")),
  source(2, quest, utm("cpc", "quest", "text_ad", "brand_search")),
  friendsPost,
  source(3, pictures),
  source(5, friendly, utm("paid_social", "friendly", "carousel", "product_a_launch")),
  source(4, pictures, utm("paid_social", "pictures", "story", "product_b_season")),
  source(2, clips, utm("paid_social", "clips", "video", "product_b_season")),
  weeklyDigest,
  cartReminder,
  source(
    4,
    partner("https://reviews.example/best-of"),
    utm("affiliate", "reviews", "comparison", "partners"),
  ),
  source(3, partner("https://blog.partner.example/guide")),
  source(1, direct, utm("offline", "poster", "qr_code", "city_lights")),
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
