"""A driver of Cinder that has room for everything, and no disks."""

from cinder.volume import driver


class Driver(driver.VolumeDriver):
    def check_for_setup_error(self):
        pass

    def create_volume(self, volume):
        pass

    def clone_image(self, context, volume, image_location, image_meta, image_service):
        # Nothing is to be copied.
        return {}, True

    def delete_volume(self, volume):
        pass

    def ensure_export(self, context, volume):
        pass

    def create_export(self, context, volume, connector):
        pass

    def remove_export(self, context, volume):
        pass

    def initialize_connection(self, volume, connector):
        return {"driver_volume_type": "fake", "data": {"access_mode": "rw"}}

    def terminate_connection(self, volume, connector, **options):
        pass

    def _update_volume_stats(self):
        self._stats = {
            "volume_backend_name": "disks",
            "vendor_name": "none",
            "driver_version": "1",
            "storage_protocol": "fake",
            "total_capacity_gb": 100_000,
            "free_capacity_gb": 100_000,
            "reserved_percentage": 0,
        }
