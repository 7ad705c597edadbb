/** What a person sets, kept across reloads. All but `transient` can be undone. */

export const activities = ["look", "check", "compare", "tune", "pose", "make"] as const;
export type Activity = (typeof activities)[number];

export const shadings = ["materials", "clay", "weights"] as const;
export const layouts = ["views", "divider", "silhouettes"] as const;
export const mapNames = ["lambda", "kappa", "alpha"] as const;
export type MapName = (typeof mapNames)[number];
export type Maps = Partial<Record<MapName, Float32Array>>;

export type Triple = [number, number, number];

/** A handle of the pose: a joint, vertices of the skin, or a segment. Offsets and rotations are from where it starts. */
export interface PoseHandle {
  joint?: string;
  /** The vertex nearest to a clicked point, or all vertices of a region. */
  vertices?: number[];
  /** A bone between two places of a mesh without joints, at rest. */
  segment?: [Triple, Triple];
  /** How a person calls a point, a region or a segment. */
  name?: string;
  /** Held where it is, whatever the others do. */
  pinned: boolean;
  /** What is given of a handle that is not pinned; none: its position. */
  constraint?: Constraint;
  offset: Triple;
  /** Degrees about the world's x, then y, then z axis. */
  rotation?: Triple;
  scale?: number;
}

export const constraints = ["position", "rotation", "full", "free"] as const;
export type Constraint = (typeof constraints)[number];

/** All handles at a moment. */
export interface PoseKey {
  time: number;
  offsets: Triple[];
  rotations?: Triple[];
}

export interface Settings {
  activity: Activity;
  /** One method per view; the others are compared with the first. */
  methods: string[];
  /** A clip's name, "@range" for the test motion, or null for the rest pose. */
  clip: string | null;
  time: number;
  playing: boolean;
  /** Of Direct Delta Mush; null: what the file stores, else what Pelt derives from the mesh. */
  lambda: number | null;
  kappa: number | null;
  alpha: number | null;
  iterations: number | null;
  bind: "rigid" | "keep" | null;
  laplacian: "uniform" | "cotangent" | null;
  smoothing: "implicit" | "explicit" | null;
  jointAlpha: Record<string, number>;
  maps: Maps;
  shading: (typeof shadings)[number];
  wireframe: boolean;
  skeleton: boolean;
  names: boolean;
  hiddenParts: number[];
  joint: string | null;
  layout: (typeof layouts)[number];
  divider: number;
  heat: boolean;
  /** The error at the end of the scale, in the file's units; null: the largest over the clip. */
  heatTop: number | null;
  handles: PoseHandle[];
  keys: PoseKey[];
  /** The moment of a clip from which handles move the character; null: the rest pose. */
  poseFrom: { clip: string; time: number } | null;
  /** How far joints bend and twist in a pose, as `pelt pose --limits` reads it. */
  limits: object | null;
  /** Bones keep their length, or the free pose: FAST. A mesh without joints has only that. */
  manner: "bones" | "free";
  /** Of the free pose: what stays rigid, how many rotations it has (null: what Pelt derives), additional weights. */
  energy: "spokes-and-rims" | "tets";
  clusters: number | null;
  extraWeights: number;
  camera: { position: number[]; target: number[] } | null;
  theme: "dark" | "light";
}

export const transient: readonly (keyof Settings)[] = ["activity", "time", "playing", "camera", "theme", "divider"];

export function defaultSettings(): Settings {
  return {
    activity: "look",
    methods: ["ddm"],
    clip: null,
    time: 0,
    playing: false,
    lambda: null,
    kappa: null,
    alpha: null,
    iterations: null,
    bind: null,
    laplacian: null,
    smoothing: null,
    jointAlpha: {},
    maps: {},
    shading: "materials",
    wireframe: false,
    skeleton: false,
    names: false,
    hiddenParts: [],
    joint: null,
    layout: "views",
    divider: 0.5,
    heat: false,
    heatTop: null,
    handles: [],
    keys: [],
    poseFrom: null,
    limits: null,
    manner: "bones",
    energy: "spokes-and-rims",
    clusters: null,
    extraWeights: 0,
    camera: null,
    theme: matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark",
  };
}

/** The methods that a view offers, the most used first. */
export const methodLabels: Record<string, string> = {
  ddm: "Direct Delta Mush",
  lbs: "Linear blend",
  dqs: "Dual quaternions",
  cor: "Centers of rotation",
  dm: "Delta Mush",
  "dm-tangent": "Delta Mush, tangent frames",
  "ddm-v0": "DDM v0",
  "ddm-v1": "DDM v1",
  "ddm-v2": "DDM v2",
  "ddm-v3": "DDM v3",
  "ddm-v4": "DDM v4",
  "ddm-v5": "DDM v5",
  eddm: "Enhanced DDM",
  result: "Result of Make",
};
