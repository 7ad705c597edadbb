export { Fnv1a } from "./hash.js";
