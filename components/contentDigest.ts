export { contentDigest, DIGESTED } from "../pipeline/stack/content-digest.ts";
