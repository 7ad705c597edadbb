"""Written by scripts/write_verbs from the library's table of verbs."""
from os import PathLike
from typing import Any, Literal, Mapping, Sequence, Union, overload

from ._arrays import ArrayLike
from ._character import Character
from ._contents import Report
from ._library import ProgressCallback
from ._verbs import Characters, Frames, Packed

Path = Union[str, PathLike[str]]

__all__ = ["VerbMethods", "sample", "decompose", "cutout", "compare"]

class VerbMethods:
    """The verbs that are made of a character."""

    def info(
        self,
        *,
        weld: float | None = ...,
        no_props: bool | None = ...,
        mesh: Character | ArrayLike | tuple[ArrayLike, ArrayLike] | Path | None = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Report:
        """Shows what is in a file: counts, joints, influences, clips, problems.

        Returns the report.

        weld: Treat vertices within this distance as one (default: 0, equal positions)
        no_props: Leave out props: meshes without a skin (hats, weapons) that are attached to nodes
        mesh: A mesh that provides the faces of a sequence without faces. (V, 3) positions, a pair of them and (T, 3)
            triangles, a Character or a file.
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    def check(
        self,
        *,
        min_score: float | None = ...,
        fail_on: Literal["fault", "warning"] | None = ...,
        baseline: Path | None = ...,
        for_: Literal["gltf", "three", "unity", "unreal", "godot", "mobile"] | None = ...,
        clips: Character | Path | Sequence[Character | Path] | None = ...,
        limits: dict[str, Any] | Path | None = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Report:
        """Says what is wrong with a skin, as an artist would point at it.

        Returns the report.

        min_score: Exit with status 4 if the score is below this
        fail_on: Exit with status 4 if there is a fault, or a warning
        baseline: An earlier report: only what is new counts for these
        for_: An engine: more influences or joints than it takes are a fault
        clips: A file whose clips are added before the character's own, matched by joint names; may be repeated.
        limits: How far joints bend and twist in the range of motion; the format is that of bake limits.
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    def fix(
        self,
        *,
        only: Literal["bleed", "torn", "piece", "noise", "crease", "collapse", "bulge", "stretch", "flip", "poke", "unweighted", "swapped", "asymmetry", "unused", "limits", "structure"] | Sequence[Literal["bleed", "torn", "piece", "noise", "crease", "collapse", "bulge", "stretch", "flip", "poke", "unweighted", "swapped", "asymmetry", "unused", "limits", "structure"]] | None = ...,
        helpers: int | None = ...,
        virtual: int | None = ...,
        dry_run: bool | None = ...,
        clips: Character | Path | Sequence[Character | Path] | None = ...,
        limits: dict[str, Any] | Path | None = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Character:
        """Repairs what check finds in a skin, and nothing else.

        Returns a new Character; its `report` is what the verb says of its work.

        only: Repair findings of these kinds alone
        helpers: Add at most N driven joints where the shape still suffers, by pelt bake
        virtual: The same with virtual joints
        dry_run: Say what would be done; the output equals the input
        clips: A file whose clips are added before the character's own, matched by joint names; may be repeated.
        limits: How far joints bend and twist in the range of motion; the format is that of bake limits.
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    def bind(
        self,
        method: Literal["smooth", "rigid", "bbw"] | None = ...,
        *,
        influences: int | None = ...,
        joints: str | Sequence[str] | None = ...,
        exclude_joints: str | Sequence[str] | None = ...,
        lattice: int | None = ...,
        tets: Path | None = ...,
        clips: Character | Path | Sequence[Character | Path] | None = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Character:
        """Computes skin weights for a mesh and its skeleton.

        Returns a new Character; its `report` is what the verb says of its work.

        method: smooth: the weights that an artist would probably paint (default). rigid: one joint per vertex, the
            heaviest or, without weights, that of the nearest bone. bbw: bounded biharmonic weights
        influences: At most K joints per vertex, 0 for all (default: 4; rigid always uses one)
        joints: Bind to these joints only, even if they look like controls
        exclude_joints: Bind to all joints but these
        lattice: For bbw without tets: approximate number of tetrahedra of the lattice (default: 20000)
        tets: For bbw: the volume to solve on, a .mesh file with tetrahedra (default: a lattice around the mesh).
        clips: A file whose clips are added before the character's own, matched by joint names; may be repeated.
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    def transfer(
        self,
        to: ArrayLike | Character | Path,
        *,
        distance: float | None = ...,
        angle: float | None = ...,
        influences: int | None = ...,
        nearest: bool | None = ...,
        clips: Character | Path | Sequence[Character | Path] | None = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Character:
        """Gives a mesh the skin of another: clothes, hair, another topology, a level of detail.

        Returns a new Character; its `report` is what the verb says of its work.

        to: The mesh that gets it, in the same place and pose: a character file, .obj .ply .off.
        distance: How far a vertex may be from the skin that it copies, as a fraction of the skin's diagonal (default:
            0.05)
        angle: How much its normal may differ from the skin's, in degrees (default: 30)
        influences: At most K joints per vertex (default: as many as FROM has)
        nearest: Copy the nearest point's weights everywhere and fill nothing, for comparison
        clips: A file whose clips are added before the character's own, matched by joint names; may be repeated.
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    def lod(
        self,
        *,
        ratios: float | Sequence[float] | None = ...,
        influences: int | None = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Characters:
        """Levels of detail: simplified meshes that deform alike.

        Returns a list of Characters; its `report` is what the verb says of its work.

        ratios: Triangles of each level, as fractions of the original, descending (default: 0.5,0.25,0.1)
        influences: At most K joints per vertex (default: as many as the character has)
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    def mush(
        self,
        *,
        variant: Literal["v0", "v1", "v2", "v3", "v4", "v5"] | None = ...,
        payload: Literal["float", "q16"] | None = ...,
        iterations: int | None = ...,
        lambda_: float | None = ...,
        kappa: float | None = ...,
        kappa_iterations: int | None = ...,
        alpha: float | None = ...,
        translations: str | ArrayLike | None = ...,
        laplacian: Literal["uniform", "cotangent"] | None = ...,
        smoothing: Literal["implicit", "explicit"] | None = ...,
        lambda_map: str | ArrayLike | None = ...,
        kappa_map: str | ArrayLike | None = ...,
        alpha_map: str | ArrayLike | None = ...,
        joint_alpha: str | Sequence[str] | Mapping[str, float] | None = ...,
        connect_parts: Literal["auto", "off"] | bool | None = ...,
        exclude: str | Sequence[str] | None = ...,
        bind: Literal["rigid", "keep"] | None = ...,
        influences: int | None = ...,
        weld: float | None = ...,
        joints: str | Sequence[str] | None = ...,
        exclude_joints: str | Sequence[str] | None = ...,
        clips: Character | Path | Sequence[Character | Path] | None = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Character:
        """Precomputes Direct Delta Mush (smooth skin from a rigid bind) and stores it in the file.

        Returns a new Character; its `report` is what the verb says of its work.

        variant: The run-time variant that the file requests (default: v0, the full model)
        payload: Storage: 48 (float) or 24 (q16) bytes per joint and vertex (default: float)
        iterations: Number of smoothing steps (default: 10)
        lambda_: Smoothing of rotations per step (default: from the thickness of the limbs)
        kappa: Smoothing of translations per step (default: from the thickness of the limbs)
        kappa_iterations: Number of smoothing steps of translations (default: as many as of rotations)
        alpha: How closely translations follow the bones, 0 to below 1 (default: 0.5)
        translations: The weights that translations follow as far as alpha says: the bind, smoothed by kappa; the
            file's own weights; or a scalar vertex attribute, 0 for the bind and 1 for the file's weights (default:
            bind)
        laplacian: Edge weights of the Laplacian (default: cotangent)
        smoothing: Kind of smoothing step (default: implicit)
        lambda_map: Multiplies lambda at each vertex: uniform, radius (distance from the bone), or a scalar vertex
            attribute such as _LAMBDA
        kappa_map: The same for kappa
        alpha_map: The same for alpha
        joint_alpha: Alpha of the skin around a joint, such as hips=0.2; may be repeated
        connect_parts: Smooth disconnected parts that lie side by side together (default: auto)
        exclude: A part or material that keeps its bind; may be repeated
        bind: Start from each vertex's heaviest joint, or keep the weights (default: rigid)
        influences: At most K joints per vertex, 0 for all (default for mush: the fewest, at most 8, with an RMS error
            below 1e-4 of the bounding-box diagonal over the range of motion; otherwise all)
        weld: Treat vertices within this distance as one (default: 0)
        joints: Bind to these joints only, even if they look like controls
        exclude_joints: Bind to all joints but these
        clips: A file whose clips are added before the character's own, matched by joint names; may be repeated.
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    def bake(
        self,
        *,
        clip: str | int | None = ...,
        fps: float | None = ...,
        bind_pose: bool | None = ...,
        frames: int | str | None = ...,
        from_: str | ArrayLike | Character | Path | None = ...,
        influences: int | None = ...,
        helpers: int | None = ...,
        virtual: int | None = ...,
        max_error: float | None = ...,
        only_clip: bool | None = ...,
        lock: str | Sequence[str] | None = ...,
        weld: float | None = ...,
        iterations: int | None = ...,
        lambda_: float | None = ...,
        kappa: float | None = ...,
        kappa_iterations: int | None = ...,
        alpha: float | None = ...,
        translations: str | ArrayLike | None = ...,
        laplacian: Literal["uniform", "cotangent"] | None = ...,
        smoothing: Literal["implicit", "explicit"] | None = ...,
        lambda_map: str | ArrayLike | None = ...,
        kappa_map: str | ArrayLike | None = ...,
        alpha_map: str | ArrayLike | None = ...,
        joint_alpha: str | Sequence[str] | Mapping[str, float] | None = ...,
        connect_parts: Literal["auto", "off"] | bool | None = ...,
        exclude: str | Sequence[str] | None = ...,
        bind: Literal["rigid", "keep"] | None = ...,
        joints: str | Sequence[str] | None = ...,
        exclude_joints: str | Sequence[str] | None = ...,
        sigma: float | None = ...,
        weight_cell: float | None = ...,
        base: str | ArrayLike | Character | Path | None = ...,
        limits: dict[str, Any] | Path | None = ...,
        clips: Character | Path | Sequence[Character | Path] | None = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Character:
        """Bakes any deformer, or a deformed sequence, to plain skin weights for every engine.

        Returns a new Character; its `report` is what the verb says of its work.

        clip: The clip, by name or index (default: the first); @range: a test motion that bends and twists every joint
        fps: Samples per second, starting at the first key (default: 30)
        bind_pose: One frame: the mesh as stored in the file
        frames: Select samples with a Python slice: 0:100:5, ::2, -10:, ::-1
        from_: What to bake: a method of pelt deform, or a sequence with one mesh per sample of the clip (default:
            ddm)
        influences: At most K joints per vertex, 0 for any number (default: 4)
        helpers: Add at most N helper joints, driven by other joints, where the error is largest (default: 0)
        virtual: Add at most N virtual joints, which move as vertices of Direct Delta Mush do, instead of helpers: its
            look at the price of plain skinning
        max_error: The E_RMS to reach, with as few helpers or virtual joints as possible; exit status 4 if it is
            missed
        only_clip: Fit to the clip alone; by default the range of motion takes part too, for clips that the skin plays
            later
        lock: A joint whose weights are kept; may be repeated
        weld: Treat vertices within this distance as one (default: 0)
        iterations: Number of smoothing steps (default: 10)
        lambda_: Smoothing of rotations per step (default: from the thickness of the limbs)
        kappa: Smoothing of translations per step (default: from the thickness of the limbs)
        kappa_iterations: Number of smoothing steps of translations (default: as many as of rotations)
        alpha: How closely translations follow the bones, 0 to below 1 (default: 0.5)
        translations: The weights that translations follow as far as alpha says: the bind, smoothed by kappa; the
            file's own weights; or a scalar vertex attribute, 0 for the bind and 1 for the file's weights (default:
            bind)
        laplacian: Edge weights of the Laplacian (default: cotangent)
        smoothing: Kind of smoothing step (default: implicit)
        lambda_map: Multiplies lambda at each vertex: uniform, radius (distance from the bone), or a scalar vertex
            attribute such as _LAMBDA
        kappa_map: The same for kappa
        alpha_map: The same for alpha
        joint_alpha: Alpha of the skin around a joint, such as hips=0.2; may be repeated
        connect_parts: Smooth disconnected parts that lie side by side together (default: auto)
        exclude: A part or material that keeps its bind; may be repeated
        bind: Start from each vertex's heaviest joint, or keep the weights (default: rigid)
        joints: Bind to these joints only, even if they look like controls
        exclude_joints: Bind to all joints but these
        sigma: How different weights may be to count as similar, above 0 (default: 0.1)
        weight_cell: Merge triangles with weights this close; 0: exact sum (default: 1/128)
        base: What dm and dm-tangent smooth: another method with the character's own weights, or a sequence with one
            mesh per sample (default: linear blend skinning with the bind)
        limits: How far joints bend and twist in the range of motion, in degrees (default: bend 90, twist 60, in both
            directions): {"default": {"bend": 90, "twist": 60}, "joints": {"knee": {"bend": [0, 140]}}}.
        clips: A file whose clips are added before the character's own, matched by joint names; may be repeated.
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    def clean(
        self,
        *,
        threshold: float | None = ...,
        unused_joints: bool | None = ...,
        fps: float | None = ...,
        clips: Character | Path | Sequence[Character | Path] | None = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Character:
        """Removes what does not change the motion: tiny weights, keys that repeat their neighbors.

        Returns a new Character; its `report` is what the verb says of its work.

        threshold: Remove weights below W (default: 0.0001)
        unused_joints: Also take joints that move no vertex out of the skin; their nodes stay
        fps: Samples per second when the result is checked (default: 30)
        clips: A file whose clips are added before the character's own, matched by joint names; may be repeated.
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    def limit(
        self,
        *,
        influences: int | None = ...,
        max_joints: int | None = ...,
        fps: float | None = ...,
        limits: dict[str, Any] | Path | None = ...,
        clips: Character | Path | Sequence[Character | Path] | None = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Character:
        """Reduces the joints per vertex, or all joints, and solves for the weights that keep the motion.

        Returns a new Character; its `report` is what the verb says of its work.

        influences: At most K joints per vertex, 0 for any number (default: 4)
        max_joints: At most N joints: others are merged into their parents, those that matter least first (default:
            all stay)
        fps: Samples of the clips per second (default: 30)
        limits: How far joints bend and twist in the range of motion; the format is that of bake limits.
        clips: A file whose clips are added before the character's own, matched by joint names; may be repeated.
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    def mirror(
        self,
        *,
        from_: Literal["left", "right"] | None = ...,
        axis: Literal["x", "y", "z"] | None = ...,
        clips: Character | Path | Sequence[Character | Path] | None = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Character:
        """Gives one side of a character the weights, maps and settings of the other.

        Returns a new Character; its `report` is what the verb says of its work.

        from_: The side to copy (default: left)
        axis: The axis from one side to the other in the bind pose (default: that of the joints' pairs)
        clips: A file whose clips are added before the character's own, matched by joint names; may be repeated.
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    def pack(
        self,
        method: Literal["lbs", "dqs", "cor", "dm", "dm-tangent", "ddm", "ddm-v0", "ddm-v1", "ddm-v1-printed", "ddm-v2", "ddm-v3", "ddm-v4", "ddm-v5", "ddm-v5-dqs", "eddm"] | None = ...,
        *,
        iterations: int | None = ...,
        lambda_: float | None = ...,
        kappa: float | None = ...,
        kappa_iterations: int | None = ...,
        alpha: float | None = ...,
        translations: str | ArrayLike | None = ...,
        laplacian: Literal["uniform", "cotangent"] | None = ...,
        smoothing: Literal["implicit", "explicit"] | None = ...,
        lambda_map: str | ArrayLike | None = ...,
        kappa_map: str | ArrayLike | None = ...,
        alpha_map: str | ArrayLike | None = ...,
        joint_alpha: str | Sequence[str] | Mapping[str, float] | None = ...,
        connect_parts: Literal["auto", "off"] | bool | None = ...,
        exclude: str | Sequence[str] | None = ...,
        bind: Literal["rigid", "keep"] | None = ...,
        influences: int | None = ...,
        weld: float | None = ...,
        joints: str | Sequence[str] | None = ...,
        exclude_joints: str | Sequence[str] | None = ...,
        sigma: float | None = ...,
        weight_cell: float | None = ...,
        base: str | None = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Packed:
        """Writes a character as a binary rig for engines that link pelt::runtime.

        Returns bytes.

        method: A method of deform, except dm and dm-tangent (default: ddm for a mushed or fitted file, otherwise lbs)
        iterations: Number of smoothing steps (default: 10)
        lambda_: Smoothing of rotations per step (default: from the thickness of the limbs)
        kappa: Smoothing of translations per step (default: from the thickness of the limbs)
        kappa_iterations: Number of smoothing steps of translations (default: as many as of rotations)
        alpha: How closely translations follow the bones, 0 to below 1 (default: 0.5)
        translations: The weights that translations follow as far as alpha says: the bind, smoothed by kappa; the
            file's own weights; or a scalar vertex attribute, 0 for the bind and 1 for the file's weights (default:
            bind)
        laplacian: Edge weights of the Laplacian (default: cotangent)
        smoothing: Kind of smoothing step (default: implicit)
        lambda_map: Multiplies lambda at each vertex: uniform, radius (distance from the bone), or a scalar vertex
            attribute such as _LAMBDA
        kappa_map: The same for kappa
        alpha_map: The same for alpha
        joint_alpha: Alpha of the skin around a joint, such as hips=0.2; may be repeated
        connect_parts: Smooth disconnected parts that lie side by side together (default: auto)
        exclude: A part or material that keeps its bind; may be repeated
        bind: Start from each vertex's heaviest joint, or keep the weights (default: rigid)
        influences: At most K joints per vertex, 0 for all (default for mush: the fewest, at most 8, with an RMS error
            below 1e-4 of the bounding-box diagonal over the range of motion; otherwise all)
        weld: Treat vertices within this distance as one (default: 0)
        joints: Bind to these joints only, even if they look like controls
        exclude_joints: Bind to all joints but these
        sigma: How different weights may be to count as similar, above 0 (default: 0.1)
        weight_cell: Merge triangles with weights this close; 0: exact sum (default: 1/128)
        base: What dm and dm-tangent smooth: another method with the character's own weights, or a sequence with one
            mesh per sample (default: linear blend skinning with the bind)
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    @overload
    def fit(
        self,
        examples: ArrayLike | Character | Path,
        *,
        influences: int | None = ...,
        extra_joints: Literal["none", "rotation", "scale", "all"] | None = ...,
        max_extra_joints: int | None = ...,
        helpers: int | None = ...,
        rotations: int | None = ...,
        scale_k: float | None = ...,
        drivers: str | Sequence[str] | None = ...,
        normals_weight: float | None = ...,
        signed: bool | None = ...,
        validate: bool | None = ...,
        clip: str | int | None = ...,
        fps: float | None = ...,
        frames: int | str | None = ...,
        normals: ArrayLike | Character | Path | None = ...,
        clips: Character | Path | Sequence[Character | Path] | None = ...,
        limits: dict[str, Any] | Path | None = ...,
        output: Literal["character"] = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Character:
        """Fits a skin to example poses: weights, rest pose, extra joints (Mohr & Gleicher).

        Returns a new Character; its `report` is what the verb says of its work.

        examples: The meshes in those poses: .npy .pc2 .mdd, a folder or quoted pattern of .obj or .ply, or a
            character (its skin or morph targets are sampled). (F, V, 3) float32, or a file.
        influences: At most K joints per vertex, 0 for any number (default: 4)
        extra_joints: Kinds of driven joints that may be added: half-way rotations, scales by the angle (default: all)
        max_extra_joints: Add at most N extra joints, those that reduce the error most (default: 16)
        helpers: Also try N joints learned from the examples, driven by nearby rotations (default: 0)
        rotations: Half-way joints per driver; N joints divide its rotation evenly (default: 1)
        scale_k: Scale of a folded limb: 1 + k (default: 8)
        drivers: Joints that may get extra joints (default: all)
        normals_weight: Weight of the normals: an error of 1 in a unit normal counts as much as a distance of W mean
            edges (default: 0.5)
        signed: Also store weights of any sign, which fit better: Pelt plays them (method ddm), other programs the
            plain skin
        validate: Cross-validate: also fit without each example in turn and report the error at that example
        clip: The clip, by name or index (default: the first); @range: a test motion that bends and twists every joint
        fps: Samples per second, starting at the first key (default: 30)
        frames: Select samples with a Python slice: 0:100:5, ::2, -10:, ::-1
        normals: Unit normals of the examples (frames, vertices, 3), which otherwise are their own or, if they have
            none, recomputed. (F, V, 3) float32, or a file.
        clips: A file whose clips are added before the character's own, matched by joint names; may be repeated.
        limits: How far joints bend and twist in the range of motion; the format is that of bake limits.
        output: what is made of it
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    @overload
    def fit(
        self,
        examples: ArrayLike | Character | Path,
        *,
        influences: int | None = ...,
        extra_joints: Literal["none", "rotation", "scale", "all"] | None = ...,
        max_extra_joints: int | None = ...,
        helpers: int | None = ...,
        rotations: int | None = ...,
        scale_k: float | None = ...,
        drivers: str | Sequence[str] | None = ...,
        normals_weight: float | None = ...,
        signed: bool | None = ...,
        validate: bool | None = ...,
        clip: str | int | None = ...,
        fps: float | None = ...,
        frames: int | str | None = ...,
        normals: ArrayLike | Character | Path | None = ...,
        clips: Character | Path | Sequence[Character | Path] | None = ...,
        limits: dict[str, Any] | Path | None = ...,
        output: Literal["sequence"],
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Frames: ...

    @overload
    def pose(
        self,
        handles: list[dict[str, Any]] | dict[str, Any] | Path,
        *,
        energy: Literal["triangles", "tets", "spokes", "spokes-and-rims"] | None = ...,
        clusters: int | None = ...,
        extra_weights: int | None = ...,
        extra_kind: Literal["modes", "bumps"] | None = ...,
        clip: str | int | None = ...,
        at: float | None = ...,
        fps: float | None = ...,
        free: bool | None = ...,
        flat: Literal["auto", "on", "off"] | bool | None = ...,
        keep_lengths: bool | None = ...,
        iterations: int | None = ...,
        method: Literal["lbs", "dqs", "cor", "dm", "dm-tangent", "ddm", "ddm-v0", "ddm-v1", "ddm-v1-printed", "ddm-v2", "ddm-v3", "ddm-v4", "ddm-v5", "ddm-v5-dqs", "eddm"] | None = ...,
        unreduced: bool | None = ...,
        influences: int | None = ...,
        max_error: float | None = ...,
        no_props: bool | None = ...,
        clips: Character | Path | Sequence[Character | Path] | None = ...,
        limits: dict[str, Any] | Path | None = ...,
        output: Literal["character"] = ...,
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Character:
        """Poses a skeleton by turning bones, from a few handles; a mesh, or with free, by bending it.

        Returns a new Character; its `report` is what the verb says of its work.

        handles: The handles: joints, points, regions and segments with their targets.
        energy: The edge sets that stay rigid: edges around a vertex, those and the opposite edges, triangles, or
            tetrahedra of a lattice around the mesh (default: spokes-and-rims; tets if parts of the mesh share no
            joint)
        clusters: Number of rotations, shared by edges with similar weights (default: depends on the number of
            joints); 0: no sharing
        extra_weights: Number of additional weight functions that let the skin bend between joints (default: 0)
        extra_kind: The kind of these functions: the smoothest functions on the shape, or B-splines in weight space
            (default: modes)
        clip: Start from this clip instead of the rest pose of the nodes
        at: The time in that clip, in seconds (default: its first key)
        fps: Frames per second between keyed targets (default: 30)
        free: Write the free pose of FAST, as for a mesh without joints: joints may stretch and shear to bend the skin
            less; in a file, they are nested nodes. A skeleton is otherwise posed by another solver, which turns its
            joints and keeps the lengths of bones
        flat: Pose a mesh that lies in one plane by rotations of that plane alone, so that turning a triangle over has
            its cost; auto: if all targets stay in the plane; off: as a sheet in space (default: auto)
        keep_lengths: Write a sequence with rigid joints whose bones keep their lengths, whatever the handles are
        iterations: At most N iterations per frame (default: until convergence, at most 10000 in the first frame and
            3000 in the others)
        method: The deformer of a sequence (default: lbs, with all weights of the rig)
        unreduced: Continue with all vertices free, without the rig; slow, for comparison
        influences: With free, a file has at most K joints per vertex, 0 for any number (default: 8)
        max_error: With free, the E_RMS of a file relative to the free pose; exit status 4 if it is missed
        no_props: Leave out props: meshes without a skin (hats, weapons) that are attached to nodes
        clips: A file whose clips are added before the character's own, matched by joint names; may be repeated.
        limits: How far joints may bend and twist, in degrees; the format is that of bake limits. Implies
            keep_lengths.
        output: what is made of it
        progress: called with the fraction done (0 to 1) and the stage; returning False cancels
        threads: at most so many threads, 0 for all cores; results do not depend on it
        """

    @overload
    def pose(
        self,
        handles: list[dict[str, Any]] | dict[str, Any] | Path,
        *,
        energy: Literal["triangles", "tets", "spokes", "spokes-and-rims"] | None = ...,
        clusters: int | None = ...,
        extra_weights: int | None = ...,
        extra_kind: Literal["modes", "bumps"] | None = ...,
        clip: str | int | None = ...,
        at: float | None = ...,
        fps: float | None = ...,
        free: bool | None = ...,
        flat: Literal["auto", "on", "off"] | bool | None = ...,
        keep_lengths: bool | None = ...,
        iterations: int | None = ...,
        method: Literal["lbs", "dqs", "cor", "dm", "dm-tangent", "ddm", "ddm-v0", "ddm-v1", "ddm-v1-printed", "ddm-v2", "ddm-v3", "ddm-v4", "ddm-v5", "ddm-v5-dqs", "eddm"] | None = ...,
        unreduced: bool | None = ...,
        influences: int | None = ...,
        max_error: float | None = ...,
        no_props: bool | None = ...,
        clips: Character | Path | Sequence[Character | Path] | None = ...,
        limits: dict[str, Any] | Path | None = ...,
        output: Literal["sequence"],
        progress: ProgressCallback | None = ...,
        threads: int | None = ...,
    ) -> Frames: ...

def sample(
    name: Literal["bar", "bar3", "bar-parts", "arm", "branch", "biped"],
    *,
    resolution: int | None = ...,
    skin: Literal["rigid", "smooth"] | None = ...,
    examples: bool | None = ...,
    progress: ProgressCallback | None = ...,
    threads: int | None = ...,
) -> Character:
    """Writes a built-in character, rigged and animated, to experiment with.

    Returns a new Character; its `report` is what the verb says of its work.

    name: The name of the sample; list shows all names
    resolution: Approximate number of vertices (default: depends on the sample)
    skin: rigid: one joint per vertex (default); smooth: up to 4 joints per vertex, blended
    examples: With arm: also write the shapes of a muscular arm along its first clip, 30 per second, as examples
        for pelt fit; it is in the result's `outputs`
    progress: called with the fraction done (0 to 1) and the stage; returning False cancels
    threads: at most so many threads, 0 for all cores; results do not depend on it
    """

def decompose(
    sequence: ArrayLike | Character | Path | Sequence[ArrayLike | Character | Path],
    *,
    bones: int | str | None = ...,
    tolerance: float | None = ...,
    influences: int | None = ...,
    bones_kind: Literal["rigid", "flexible"] | None = ...,
    iterations: int | None = ...,
    smoothness: float | None = ...,
    rest_correction: Literal["on", "off"] | bool | None = ...,
    seed: int | None = ...,
    skeleton: bool | None = ...,
    eigenskin: int | None = ...,
    clip: str | int | None = ...,
    fps: float | None = ...,
    bind_pose: bool | None = ...,
    frames: int | str | None = ...,
    no_props: bool | None = ...,
    rest: Character | ArrayLike | tuple[ArrayLike, ArrayLike] | Path | None = ...,
    mesh: Character | ArrayLike | tuple[ArrayLike, ArrayLike] | Path | None = ...,
    keep_motion: Character | Path | None = ...,
    keep_weights: Character | Path | None = ...,
    clips: Character | Path | Sequence[Character | Path] | None = ...,
    limits: dict[str, Any] | Path | None = ...,
    progress: ProgressCallback | None = ...,
    threads: int | None = ...,
) -> Character:
    """Computes bones, weights and clips from mesh sequences alone (SSDR).

    Returns a new Character; its `report` is what the verb says of its work.

    sequence: Sequences of the same mesh, each becomes a clip: .npy .pc2 .mdd, a folder or quoted pattern of .obj
        or .ply, or a character (its skin or morph targets are sampled). (F, V, 3) float32, or a file.
    bones: Number of bones (default: 20, or the number of kept joints); auto: the fewest, up to 128, that reach
        tolerance
    tolerance: The E_RMS to reach (default with bones auto: 3); without bones it implies auto. Exit status 4 if a
        given tolerance is missed
    influences: At most K bones per vertex, 0 for any number (default: 4)
    bones_kind: rigid: bones rotate and translate; flexible: they also stretch and shear (default: rigid)
    iterations: At most N iterations of weights and bones (default: 100)
    smoothness: Weight of edges in the objective, from 0 to below 1: larger values give smoother surfaces, smaller
        ones a smaller E_RMS (default: 0.87)
    rest_correction: Adjust the rest pose to the bones at the end (default: on)
    seed: Seed of a random start; 0: deterministic (default: 0)
    skeleton: Compute joints where bones rotate about a common center, and a hierarchy (default: all bones are
        roots)
    eigenskin: Add R corrective morph targets, with weights in the clips (default: 0)
    clip: The clip, by name or index (default: the first); @range: a test motion that bends and twists every joint
    fps: Samples per second, starting at the first key (default: 30)
    bind_pose: One frame: the mesh as stored in the file
    frames: Select samples with a Python slice: 0:100:5, ::2, -10:, ::-1
    no_props: Leave out props: meshes without a skin (hats, weapons) that are attached to nodes
    rest: A mesh: rest pose and faces (default: those of the first sequence, or its first frame). (V, 3)
        positions, a pair of them and (T, 3) triangles, a Character or a file.
    mesh: A mesh: faces only; the first frame is the rest pose. (V, 3) positions, a pair of them and (T, 3)
        triangles, a Character or a file.
    keep_motion: A character whose joints, hierarchy and clips are kept: only weights and additional bones are
        solved for.
    keep_weights: A character whose weights are kept: the motion of its joints is solved for, unless it is kept
        too.
    clips: A file whose clips are added before the character's own, matched by joint names; may be repeated.
    limits: How far joints bend and twist in the range of motion; the format is that of bake limits.
    progress: called with the fraction done (0 to 1) and the stage; returning False cancels
    threads: at most so many threads, 0 for all cores; results do not depend on it
    """

def cutout(
    picture: bytes | ArrayLike | Path | Sequence[bytes | ArrayLike | Path],
    *,
    triangles: int | None = ...,
    background: str | None = ...,
    depth: float | None = ...,
    progress: ProgressCallback | None = ...,
    threads: int | None = ...,
) -> Character:
    """Cuts a figure out of a picture: a flat textured mesh, to be posed.

    Returns a new Character; its `report` is what the verb says of its work.

    picture: A picture with transparency, .png or .jpg; several of one size are layers, from the back to the
        front. (H, W, 4) or (H, W, 3) uint8, the bytes of a file, or a file.
    triangles: About N triangles of even size (default: 1000)
    background: What is not the figure, where a picture has no transparency: a color, or that of its corners
    depth: The distance between layers, in heights of the figure (default: 0.02)
    progress: called with the fraction done (0 to 1) and the stage; returning False cancels
    threads: at most so many threads, 0 for all cores; results do not depend on it
    """

def compare(
    a: ArrayLike | Character | Path,
    b: ArrayLike | Character | Path,
    *,
    max_error: float | None = ...,
    clip: str | int | None = ...,
    fps: float | None = ...,
    bind_pose: bool | None = ...,
    frames: int | str | None = ...,
    no_props: bool | None = ...,
    rest: Character | ArrayLike | tuple[ArrayLike, ArrayLike] | Path | None = ...,
    clips: Character | Path | Sequence[Character | Path] | None = ...,
    limits: dict[str, Any] | Path | None = ...,
    progress: ProgressCallback | None = ...,
    threads: int | None = ...,
) -> Report:
    """Measures the distance between two sequences: RMS, maximum, E_RMS.

    Returns the report.

    a: A sequence, a mesh, or a character (its skin is sampled).
    b: The other one, of the same size.
    max_error: Exit with status 4 if E_RMS is above this
    clip: The clip, by name or index (default: the first); @range: a test motion that bends and twists every joint
    fps: Samples per second, starting at the first key (default: 30)
    bind_pose: One frame: the mesh as stored in the file
    frames: Select samples with a Python slice: 0:100:5, ::2, -10:, ::-1
    no_props: Leave out props: meshes without a skin (hats, weapons) that are attached to nodes
    rest: The rest pose that scales E_RMS (default: frame 0 of A), and faces. (V, 3) positions, a pair of them and
        (T, 3) triangles, a Character or a file.
    clips: A file whose clips are added before the character's own, matched by joint names; may be repeated.
    limits: How far joints bend and twist in the range of motion; the format is that of bake limits.
    progress: called with the fraction done (0 to 1) and the stage; returning False cancels
    threads: at most so many threads, 0 for all cores; results do not depend on it
    """
