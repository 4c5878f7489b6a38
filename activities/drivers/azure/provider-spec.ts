/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/**
 * `providerSpec` of a MachineClass with `provider: Azure`: one virtual machine with one network
 * interface. Fields, names and rules are those of Gardener's Azure driver, and spot instances
 * besides.
 */
export interface AzureProviderSpec {
  /** `mcm.gardener.cloud/v1alpha1`; not looked at. */
  apiVersion?: string;
  /** Region, such as `westeurope`. A part of the providerID, as it is spelled here. */
  location: string;
  /** Where the virtual machine, its network interface and its disks are made. */
  resourceGroup: string;
  /** The subnet of the network interface. */
  subnetInfo: {
    /** Virtual network. */
    vnetName: string;
    /** Subnet of that network. */
    subnetName: string;
    /** Resource group of the virtual network. Default: `resourceGroup`. */
    vnetResourceGroup?: string;
  };
  /**
   * On the virtual machine, its network interface and its disks. A key that begins with
   * `kubernetes.io-cluster-` and one that begins with `kubernetes.io-role-` have to be among them:
   * instances are found by these two. At most 49, as Azure allows 50 and one is ours; no name has
   * one of < > % & \ ? / in it.
   */
  tags: {
    [k: string]: string;
  };
  /** Which of Azure's clouds. */
  cloudConfiguration?: {
    /** Default `AzurePublic`. */
    name?: 'AzurePublic' | 'AzureChina' | 'AzureGovernment';
  };
  /** The virtual machine. */
  properties: {
    /** Size. */
    hardwareProfile: {
      /** Size, such as `Standard_D4s_v5`. */
      vmSize: string;
    };
    /**
     * Availability zone of the location: 1, 2 or 3. Exactly one of `zone`, `availabilitySet` and
     * `virtualMachineScaleSet` is given.
     */
    zone?: number;
    /** Availability set, instead of `zone`. */
    availabilitySet?: {
      /** ARM id of the availability set. Empty: there is none. */
      id?: string;
    };
    /** Scale set in flexible orchestration mode, instead of `zone`. */
    virtualMachineScaleSet?: {
      /** ARM id of the scale set. Empty: there is none. */
      id?: string;
    };
    /**
     * Deprecated: use `availabilitySet` or `virtualMachineScaleSet`. Looked at only when neither of
     * them nor `zone` is given.
     */
    machineSet?: {
      /** ARM id. */
      id: string;
      /** `availabilityset`: an availability set; `vmo`: a flexible scale set. */
      kind: 'availabilityset' | 'vmo';
    };
    /** ARM id of a user-assigned managed identity that the virtual machine gets. Default: none. */
    identityID?: string;
    /**
     * `Spot`: from capacity that is left over, cheaper, and evicted when Azure needs it. Default
     * `Regular`. Gardener's driver does not have it.
     */
    priority?: 'Regular' | 'Spot';
    /**
     * With `priority: Spot`: what becomes of an evicted virtual machine. Default `Delete`, as a
     * `Deallocate`d one keeps its Node away and its disks cost. Gardener's driver does not have it.
     */
    evictionPolicy?: 'Delete' | 'Deallocate';
    /** With `priority: Spot`. Gardener's driver does not have it. */
    billingProfile?: {
      /**
       * The most that is paid, in US dollars an hour; beyond it the virtual machine is evicted. -1:
       * no more than the regular price, and never evicted for its price. Default -1.
       */
      maxPrice?: number;
    };
    /**
     * User and SSH key. The virtual machine's name and its user data are given by the Machine and
     * the Secret.
     */
    osProfile: {
      /** User that may log in with the SSH key. */
      adminUsername: string;
      /** Ignored, as by Gardener's driver. */
      adminPassword?: string;
      /** Ignored: the Secret's `userData` is sent. */
      customData?: string;
      /** Ignored: it is the Machine's name. */
      computerName?: string;
      /** How one logs in. */
      linuxConfiguration?: {
        /** Switches logins with a password off. Default: Azure's, false. */
        disablePasswordAuthentication?: boolean;
        /** SSH. */
        ssh?: {
          /** One key, despite its name. */
          publicKeys?: {
            /** File of the key. Default `/home/ADMINUSERNAME/.ssh/authorized_keys`. */
            path?: string;
            /**
             * Public key in the format of OpenSSH. Default: a key whose private part does not
             * exist, so that no login is possible.
             */
            keyData?: string;
          };
        };
      };
    };
    /** Image and disks. */
    storageProfile: {
      /**
       * What the operating system's disk is made of. Exactly one of `id`, `urn`,
       * `communityGalleryImageID` and `sharedGalleryImageID` is given.
       */
      imageReference: {
        /** ARM id of an image, or of a version of an image in an Azure Compute Gallery. */
        id?: string;
        /** Image of the marketplace: PUBLISHER:OFFER:SKU:VERSION; VERSION may be `latest`. */
        urn?: string;
        /**
         * Version of an image in a gallery that is open to everyone:
         * /CommunityGalleries/GALLERY/Images/IMAGE/Versions/VERSION.
         */
        communityGalleryImageID?: string;
        /**
         * Version of an image in a gallery that is shared with this subscription or tenant:
         * /SharedGalleries/GALLERY/Images/IMAGE/Versions/VERSION.
         */
        sharedGalleryImageID?: string;
        /**
         * Do not look at a marketplace image and its terms; the virtual machine is made without the
         * image's plan. Default false: both are read and the terms, if need be, accepted for the
         * subscription.
         */
        skipMarketplaceAgreement?: boolean;
      };
      /** The operating system's disk. It is deleted with the virtual machine. */
      osDisk: {
        /** Ignored: it is MACHINE-os-disk. */
        name?: string;
        /** Default: Azure's for the kind of disk. */
        caching?: 'None' | 'ReadOnly' | 'ReadWrite';
        /** `FromImage`. */
        createOption: string;
        /** GiB. */
        diskSizeGB: number;
        /** Kind of the disk. */
        managedDisk?: {
          /** Ignored. */
          id?: string;
          /**
           * `Standard_LRS`, `StandardSSD_LRS`, `Premium_LRS`, `PremiumV2_LRS`, `UltraSSD_LRS`, or
           * one of those with `_ZRS`. Default: Azure's for the size.
           */
          storageAccountType?: string;
          /** Options of confidential virtual machines. */
          securityProfile?: {
            /** What of the virtual machine's state is encrypted. */
            securityEncryptionType?:
              'DiskWithVMGuestState' | 'VMGuestStateOnly' | 'NonPersistedTPM';
          };
        };
      };
      /**
       * More disks; they are deleted with the virtual machine. Default: none.
       *
       * Items: A data disk.
       */
      dataDisks?: {
        /**
         * A part of the disk's name: MACHINE-NAME-LUN-data-disk, cut so that the whole has 80
         * characters. Default: MACHINE-LUN-data-disk.
         */
        name?: string;
        /** Logical unit number; no two disks have the same. Default 0. */
        lun: number;
        /** Default `None`, as with Gardener's driver. */
        caching?: 'None' | 'ReadOnly' | 'ReadWrite';
        /**
         * `Standard_LRS`, `StandardSSD_LRS`, `Premium_LRS`, `PremiumV2_LRS`, `UltraSSD_LRS`, or one
         * of those with `_ZRS`.
         */
        storageAccountType: string;
        /** GiB. */
        diskSizeGB: number;
        /** What the disk is made of. Default: it is empty. The rule of `imageReference` holds. */
        imageRef?: {
          /** ARM id of an image, or of a version of an image in an Azure Compute Gallery. */
          id?: string;
          /** Image of the marketplace: PUBLISHER:OFFER:SKU:VERSION; VERSION may be `latest`. */
          urn?: string;
          /**
           * Version of an image in a gallery that is open to everyone:
           * /CommunityGalleries/GALLERY/Images/IMAGE/Versions/VERSION.
           */
          communityGalleryImageID?: string;
          /**
           * Version of an image in a gallery that is shared with this subscription or tenant:
           * /SharedGalleries/GALLERY/Images/IMAGE/Versions/VERSION.
           */
          sharedGalleryImageID?: string;
        };
      }[];
      /** Default: Azure's for size and image. */
      diskControllerType?: 'SCSI' | 'NVMe';
    };
    /** The network interface. IP forwarding is always on. */
    networkProfile?: {
      /** Accelerated networking; not every size has it. Default: what Azure takes. */
      acceleratedNetworking?: boolean;
      /** Deprecated and ignored. */
      networkInterfaces?: {
        [k: string]: unknown;
      };
    };
    /** Trusted launch and confidential virtual machines. */
    securityProfile?: {
      /** Default: Azure's for the image. */
      securityType?: 'TrustedLaunch' | 'ConfidentialVM' | 'Standard';
      /** With `securityType`. */
      uefiSettings?: {
        /** A virtual TPM. Default: Azure's. */
        vtpmEnabled?: boolean;
        /** Secure boot. Default: Azure's. */
        secureBootEnabled?: boolean;
      };
    };
    /** Capacity that was reserved. */
    capacityReservation?: {
      /**
       * ARM id of a capacity reservation group, in any case:
       * BSCRIPTION/resourceGroups/GROUP/providers/Microsoft.Compute/capacityReservationGroups/NAME.
       */
      capacityReservationGroupID?: string;
    };
    /** Boot diagnostics: the console's log and picture. */
    diagnosticsProfile?: {
      /** Default false. */
      enabled?: boolean;
      /**
       * Storage account for them, as https://NAME.blob.core.windows.net/. Default: one that Azure
       * manages.
       */
      storageURI?: string;
    };
  };
}
