import { suite } from "./suite.js";

suite("webgl");
