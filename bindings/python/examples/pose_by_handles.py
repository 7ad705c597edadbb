"""Drags a hand; the body follows: python3 pose_by_handles.py"""
import numpy as np
import pelt

hero = pelt.sample("biped", resolution=4000, skin="smooth")
hand = next(name for name in hero.joints if "hand" in name.lower())
foot = [name for name in hero.joints if "foot" in name.lower() or "ankle" in name.lower()]
place = hero.bind_matrices[hero.joints.index(hand), :3, 3]
height = np.ptp(hero.positions[:, 1])

poser = hero.poser()  # prepared once
for step in range(1, 6):  # each step of the mouse
    target = place + np.array([0, 0.05 * step * height, 0.03 * step * height])
    poser.set_handles(
        [
            *({"joint": name, "constraint": "hold"} for name in foot),
            {"joint": hand, "constraint": "position", "target": target},
        ]
    )
    matrices = poser.step(20)  # (J, 4, 4)
    reached = (matrices[hero.joints.index(hand)] @ np.append(place, 1))[:3]
    print(f"step {step}: energy {poser.energy:.4f}, {hand} is {np.linalg.norm(reached - target):.1e} from its target")

x = hero.deform(matrices, method="dqs")  # (V, 3)
print(f"the skin moved by up to {np.linalg.norm(x - hero.positions, axis=1).max():.3f}")
