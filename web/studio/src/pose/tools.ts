type Point = { x: number; y: number };

/** What the pointer does in the views while posing. */
export const poseTools = {
  /** What a press takes hold of where no handle is. */
  picks: "joint" as "joint" | "point" | "region" | "brush" | "lasso" | "segment",
  /** What dragging a handle does. */
  does: "move" as "move" | "turn" | "scale",
  /** null: the plane of the camera. */
  axis: null as "x" | "y" | "z" | null,
  /** The shape is shown at rest, and dragging a handle changes where it takes hold. */
  atRest: false,
  /** What is being drawn in the views: the outline of a region, or a segment. */
  sketch: null as { points: Point[]; closed: boolean } | null,
  /** The vertices of a region that is being painted. */
  painted: null as Set<number> | null,
};
