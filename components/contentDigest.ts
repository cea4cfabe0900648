export { contentDigest } from "../pipeline/stack/content-digest.ts";
