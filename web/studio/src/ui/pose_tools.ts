/** What a click in the views takes hold of while posing, and where a pull may go. */
export const poseTools = {
  picks: "joint" as "joint" | "point" | "region",
  /** null: the plane of the camera. */
  axis: null as "x" | "y" | "z" | null,
};
