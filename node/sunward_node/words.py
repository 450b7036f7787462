"""Short words of a key, for people to compare by eye or by telephone.

Must never be taken for the key: four words are 32 bits, which tells friends apart and stops no forger.
"""

from sunward_protocol.domains import Domain, digest

_LIST = """
acorn afar agate alder almond amber anchor angle apple apron arbor argon armada arrow ash aspen atlas attic autumn
azure badge bagel baker bamboo banjo barley basil bay beacon beetle bell berry birch bison blade blossom boat bonfire
border bottle bridge bronze brush bucket buffalo button cabin cactus camel candle canyon carbon castle cedar cello
chalk cherry chimney cider cinder circle clover cobalt comet copper coral cotton cradle crane cricket crown crystal
cup cypress daisy dancer dawn delta denim desert diamond dolphin donkey dove dragon drum dune dusk eagle earth echo
eclipse elbow elder ember emerald engine envoy equator falcon feather fennel fern fiddle field fig finch flame flint
flute forest fossil fox frost galaxy garden garlic garnet gecko geyser ginger glacier glove goblet gondola grape
gravel guitar hammer harbour harvest hazel heron hickory hollow honey horizon hornet ibis iceberg indigo inlet iris
iron island ivory jackal jade jasmine jetty jigsaw juniper kayak kernel kettle kite lagoon lantern larch lava lemon
lentil lilac linen lizard lobster lotus lunar lynx magnet mango maple marble meadow melon mercury meteor mimosa mint
mirror monsoon moss mulberry nebula nectar needle nettle nickel nomad nutmeg oasis oboe ocean olive onyx opal orbit
orchid osprey otter oyster paddle panda parsley pebble pepper piano pigeon pilot pine planet plum pocket polar poppy
prairie pumpkin puzzle quail quartz quill rabbit raven reef ribbon river robin rocket rose ruby saddle saffron salmon
sandal sapphire saturn scarlet sequoia shadow silver sparrow spruce summit sunset teapot thistle tiger timber topaz
tulip velvet violet walnut willow winter zephyr
"""
WORDS = tuple(_LIST.split())
assert len(set(WORDS)) == 256


def short_words(public: bytes, count: int = 4) -> str:
    """Return `count` words (8 bits each, 32 at most) of a public key, joined by hyphens."""
    return "-".join(WORDS[byte] for byte in digest(Domain.WORDS, public)[:count])
